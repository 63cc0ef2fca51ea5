# One image for every part: docker-compose.yml says which command each runs.
FROM python:3.11.14-slim-bookworm AS build
WORKDIR /src
RUN python -m venv /opt/tidegate
COPY requirements.txt ./
RUN /opt/tidegate/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY agents agents
COPY pipelines pipelines
COPY schemas schemas
COPY sinks sinks
RUN /opt/tidegate/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .

FROM python:3.11.14-slim-bookworm
RUN useradd --uid 10001 --create-home tidegate && install -d -o tidegate -g tidegate -m 700 /data /vault
COPY --from=build /opt/tidegate /opt/tidegate
COPY deploy/acls.py /opt/tidegate/acls.py
ENV PATH=/opt/tidegate/bin:$PATH TIDEGATE_DATA=/data PYTHONUNBUFFERED=1
USER tidegate
VOLUME /data
# Its engines answer it and the topics are as declared. A worker that lost its partitions ends by itself.
HEALTHCHECK --interval=30s --timeout=20s --start-period=60s --retries=3 CMD ["tidegate", "topics"]
ENTRYPOINT ["tidegate"]
CMD ["--help"]
