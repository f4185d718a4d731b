# memlsp for continuous integration and for agents over HTTP. It is built from the wheel of a release:
#   make release-dry-run && docker build --tag memlsp .
#   docker run --rm --volume "$PWD:/workspace" memlsp check
#   docker run --rm --network host --volume "$PWD:/workspace" --volume memory:/memory memlsp mcp --http --port 8765
FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 memlsp \
    && install --directory --owner memlsp --group memlsp --mode 700 /memory
COPY constraints.txt out/release/*.whl /tmp/memlsp/
RUN pip install --no-cache-dir --constraint /tmp/memlsp/constraints.txt /tmp/memlsp/*.whl \
    && rm -rf /tmp/memlsp
USER memlsp
# what is mounted belongs to somebody outside
RUN git config --global --add safe.directory '*'
ENV MEMLSP_DATA_DIR=/memory
VOLUME /memory
WORKDIR /workspace
ENTRYPOINT ["memlsp"]
CMD ["check"]
