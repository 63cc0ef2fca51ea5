"""The brokers' security settings as Faust takes them."""

import ssl

from faust.auth import Credentials, SASLCredentials, SSLCredentials

from pipelines.settings import Settings


def credentials(settings: Settings) -> Credentials | None:
    """What `faust.App(broker_credentials=…)` takes; None: plain text, nobody signs in."""
    protocol = settings.security_protocol
    tls = _tls(settings) if protocol.endswith("SSL") else None
    if protocol.startswith("SASL_"):
        return SASLCredentials(
            username=settings.sasl_username, password=settings.sasl_password, mechanism=settings.sasl_mechanism, ssl_context=tls
        )
    return SSLCredentials(tls) if tls else None


def _tls(settings: Settings) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=settings.ssl_cafile)
    if settings.ssl_certfile:
        context.load_cert_chain(settings.ssl_certfile, settings.ssl_keyfile, settings.ssl_password)
    return context
