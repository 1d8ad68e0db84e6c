# The service in a container: docker build -t hearts-ai . (see compose.yaml for it with PostgreSQL)
FROM python:3.11-slim

ENV PIP_NO_CACHE_DIR=1 PYTHONUNBUFFERED=1 NUMBA_CACHE_DIR=/var/cache/hearts
RUN useradd --create-home hearts && install -d -o hearts -g hearts /var/cache/hearts /data

WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY hearts hearts
COPY models models
COPY server server
COPY migrations migrations
RUN pip install --constraint constraints.txt '.[postgres,redis]' && rm -rf /src

USER hearts
WORKDIR /data
# Kernels that are compiled here start at once on processors like the builder's.
RUN hearts compile

EXPOSE 8080
VOLUME /data
# Whether the process answers: a database that does not must not restart it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s \
  CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ.get(\"HEARTS_PORT\", 8080)}/healthz', timeout=3)"]
# On an address that others reach it wants HEARTS_REQUIRE_KEYS=true, or HEARTS_ALLOW_OPEN=true.
CMD ["hearts", "serve", "--host", "0.0.0.0"]
