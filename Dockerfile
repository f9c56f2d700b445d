# syntax=docker/dockerfile:1
# One image for everything: `vedette server` (the default, all of it inside: the embedded PostgreSQL
# too, one volume) and `vedette probe`. docs/install.md tells how to run it.

# The web application is the same on every processor, so it is built once, on the builder's own.
FROM --platform=$BUILDPLATFORM node:24-trixie-slim AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY web ./web
COPY src ./src
RUN node web/build.ts

# The packages of the image's own processor: Node.js and PostgreSQL are among them, each pinned by
# its hash in package-lock.json, so nothing of this stage's Node.js is in the image.
FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev \
  && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share
COPY src ./src
# The user of the image cannot write there, so the links between PostgreSQL's libraries are made now.
RUN node --input-type=module --eval \
  'await (await import("/app/src/platform/embedded-postgres/binaries.ts")).prepareBinaries()'

FROM debian:trixie-slim
# Node.js 26 needs libatomic. tini is process 1: it hands signals on and buries the processes that
# lose their parent.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 tini \
  && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig/aux-cache \
  # Group 0 too: Podman lets that group alone open ICMP sockets; Docker lets every group.
  && useradd --uid 10001 --user-group --groups root --no-create-home --home-dir /data \
  --shell /usr/sbin/nologin vedette \
  && install --directory --owner=vedette --group=vedette --mode=0711 /data
WORKDIR /app
COPY package.json LICENSE ./
COPY bin ./bin
COPY migrations ./migrations
COPY docs ./docs
COPY src ./src
COPY web/build.ts ./web/build.ts
COPY --from=packages /app/node_modules ./node_modules
COPY --from=web /app/web/dist ./web/dist
RUN ln -s /app/bin/vedette.ts /usr/local/bin/vedette
ENV PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/data
# By number, so that Kubernetes can see that it is not root.
USER 10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "/app/bin/health.ts"]
ENTRYPOINT ["tini", "--", "vedette"]
CMD ["server"]
