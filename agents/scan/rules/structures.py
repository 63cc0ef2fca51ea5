"""Credentials known by their structure: private keys, JSON web tokens, user names and passwords in addresses."""

from agents.scan.rules.rule import Rule

_APART = r"(?:(?<![\w-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_BREAK = r"(?:\\{1,4}[nr]|[\s\"'+,\\])"
# To its end where it has one; else line by line, as long as lines are base64: what comes behind is another text.
_PEM_ENDED = rf"(?:{_BREAK}|[0-9A-Za-z+/=]|:(?= )|-(?!----)|(?<=[a-z]): [\w,-]+)+(?=-----END)"
_PEM_OPEN = (
    rf"(?:{_BREAK}{{0,40}}[0-9A-Za-z-]{{3,16}}: [\w,.-]{{1,80}})*(?:{_BREAK}{{0,40}}[0-9A-Za-z+/]{{16,}}={{0,2}})+"
    r"(?:(?:\\{1,4}[nr]|\r?\n)[ \t\"']{0,40}[0-9A-Za-z+/]{2,76}={0,2}(?=[ \t]*(?:[\r\n\"'\\]|\Z)))?"
)
_PEM_BODY = rf"(?P<v>{_PEM_ENDED}|{_PEM_OPEN})"


STRUCTURES: tuple[Rule, ...] = (
    # The body of a PEM block in any dress: escaped line breaks, indented, quoted and joined, on one line, without an END.
    Rule(
        "private_key",
        "any",
        r"PRIVATE KEY",
        r"(?: BLOCK)?-----" + _PEM_BODY + r"(?:-----END[A-Z ]+-----)?",
        "-----BEGIN RSA PRIVATE KEY-----\n{b64}\n{b64}\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n{b64}\n",
        left="",
        lead=r"-----BEGIN[A-Z ]{0,22} ?",
        behind=40,
        also=lambda v: sum(c.isalnum() for c in v) >= 8,
    ),
    Rule(
        "private_key",
        "any",
        r"LS0tLS1CRUdJTi",
        r"(?:[0-9A-Za-z+/]|\\n|\s(?=[0-9A-Za-z+/]{30})){60,}={0,2}",
        "LS0tLS1CRUdJTi{b200}",
        "LS0tLS1CRUdJTi{w9}",
    ),
    Rule(
        "private_key",
        "PuTTY",
        r"Private-Lines: [0-9]",
        r"\d*(?P<v>(?:[\s\\nr]+[0-9A-Za-z+/=]{20,64})+)",
        "Private-Lines: 2\n{b64}\n{b64}\n",
        "Private-Lines: 2\n",
        left="",
    ),
    Rule(
        "jwt",
        "any",
        r"eyJ[0-9A-Za-z_-]{9}",
        r"[\w=-]*\.(?:[\w=-]{10,}\.[\w=-]{10,}|[\w=-]*\.[\w-]{8,}\.[\w=-]{8,}\.[\w=-]{8,})(?:\.[\w-]+)*",
        "eyJ{u30}.eyJ{u60}.{u43}",
        "eyJ{u30}.{w3}",
        left=_APART,
    ),
    Rule("jwt", "any", r"eyJ[0-9A-Za-z_-]{9}", r"[\w=-]{4,}\.eyJ[\w-]{20,}", "eyJ{u30}.eyJ{u60}", "eyJ{u30}...", left=_APART),
    Rule("jwt", "any", r"ZXlK[0-9A-Za-z+/_-]{8}", r"[\w+/=-]{80,}", "ZXlK{b160}", "ZXlK{w9}"),
    # scheme://user:password@host, the password of any symbols, to the last @ before the path.
    Rule(
        "connection_string",
        "any",
        r"://",
        r"[^\s:/?#@\"'<>\[\]{}|\\`]{0,120}:(?P<v>[^\s\"'<>/`\\]{3,200}|[^\s\"'<>`\\]{3,200}(?=@[\w.-]+[:/]))@(?=[\w\[.%-])",
        "postgres://app:{w20}@db.acme.test:5432/app",
        "http://localhost:5000/@x",
        left="",
        behind=330,
        sight=r"://[^\s:/?#@\"'<>\[\]{}|\\`]*:[^\s\"'<>`\\]*@",
    ),
    # Functions that take a name and a password.
    Rule(
        "generic_password",
        "Microsoft",
        r"NetworkCredential\(",
        r"\s*[\"'][^\"'\n]{0,80}[\"'],\s*[\"'](?P<v>[^\"'\n]{6,200})[\"']",
        'new NetworkCredential("bot", "{w20}")',
        'new NetworkCredential("bot", password)',
        left="",
    ),
    Rule(
        "generic_secret",
        "TrueNAS",
        r"login_with_api_key",
        r"\\?[\"'],\s*\\?[\"']params\\?[\"']\s*:\s*\[\s*\\?[\"'](?P<v>[\w-]{20,})",
        '"method": "auth.login_with_api_key", "params": ["8-{w64}"]',
        '"method": "auth.login_with_api_key", "params": []',
        left="",
    ),
    Rule("teamwork_token", "Teamwork", r"tkn\.v1_", r"[\w=-]{60,}", "tkn.v1_{w80}=", "tkn.v1_{w9}"),
    # Hashes of passwords, as /etc/shadow and databases keep them: they can be tried at leisure.
    Rule("password_hash", "any", r"\$2[abxy]\$[0-9]{2}\$", r"[./0-9A-Za-z]{53}", "$2b$12${w53}", "$2b$12${w9}", left=""),
    Rule(
        "password_hash",
        "any",
        r"\$[156]\$[./0-9A-Za-z]",
        r"[./0-9A-Za-z=]{0,31}\$(?:[./0-9A-Za-z]{2,16}\$)?[./0-9A-Za-z]{22,86}",
        "$6${w16}${w86}",
        "$6${w3}",
        left="",
    ),
    Rule(
        "password_hash",
        "any",
        r"\$argon2[id]",
        r"d?\$v=\d+\$m=\d+,t=\d+,p=\d+\$[\w+/]{8,}\$[\w+/]{16,}",
        "$argon2id$v=19$m=65536,t=3,p=4${w22}${w43}",
        "$argon2id$v=19",
        left="",
    ),
)
