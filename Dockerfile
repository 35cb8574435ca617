# The hub as a service: `khub serve` on port 8080, all that it keeps in /data. See docs/service/deploying.md.
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS build
ARG EXTRAS=ocr,office
RUN python -m venv /opt/khub
ENV PATH=/opt/khub/bin:$PATH
WORKDIR /source
# What others have made comes first, into a layer of its own: it stays until a package or a version changes.
COPY pyproject.toml constraints.txt README.md LICENSE ./
RUN pip install --no-cache-dir -c constraints.txt ".[${EXTRAS}]"
COPY . .
RUN pip install --no-cache-dir --no-deps --force-reinstall .

FROM python:${PYTHON}
# Debian packages, such as LibreOffice for older office files (docs/service/deploying.md).
ARG PACKAGES=""
# hadolint ignore=DL3008,SC2086
RUN if [ -n "$PACKAGES" ]; then \
        apt-get update && apt-get install --yes --no-install-recommends $PACKAGES && rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=build /opt/khub /opt/khub
ENV PATH=/opt/khub/bin:$PATH \
    KHUB_HOME=/data
RUN useradd --no-log-init --user-group --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin khub \
    && install --directory --owner=khub --group=khub --mode=0700 /data
# By number: what forbids root can then see that it is not.
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
# It is healthy when the first question need not wait for a model.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8080, timeout=4); c.request('GET', '/readyz'); exit(c.getresponse().status != 200)"]
ENTRYPOINT ["khub"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
