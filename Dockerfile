# deskmates with git and the sandbox of commands, for CI and servers. It installs the published package only.
#   docker build --build-arg DESKMATES_VERSION=0.1.0 -t deskmates .
#   docker run --rm -e ANTHROPIC_API_KEY -v "$PWD:/workspace" deskmates -p 'what to do'
# Keys are passed when it runs (-e), never when it is built.
FROM node:24.11.0-bookworm-slim

ARG DESKMATES_VERSION=0.1.0

RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git ripgrep \
  && rm -rf /var/lib/apt/lists/*

RUN npm install --global "deskmates@${DESKMATES_VERSION}" \
  && npm cache clean --force

RUN mkdir /workspace && chown node:node /workspace

USER node
WORKDIR /workspace
ENTRYPOINT ["deskmates"]
CMD ["--help"]
