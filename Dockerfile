# syntax=docker/dockerfile:1
# One image for `vedette server` (the default, with the embedded PostgreSQL, on one volume) and for
# `vedette probe`. docs/install.md describes how to run it.

# The web application does not depend on the processor, so it is built once, on the build platform.
FROM --platform=$BUILDPLATFORM node:24-trixie-slim AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY web ./web
COPY src ./src
RUN node web/build.ts

# The packages for the target processor, including Node.js and PostgreSQL, each pinned by its hash in
# package-lock.json. The image contains nothing of this stage's Node.js.
FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev \
  && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share \
  && find node_modules -type f \( -name "*.map" -o -name "*.d.[cm]ts" -o -name "*.d.ts" \) -delete
COPY src ./src
# The image's user cannot write there, so the links between PostgreSQL's libraries are created now.
# PostgreSQL creates databases for users in /etc/passwd only; all others copy this empty one.
RUN node --input-type=module --eval \
  'await (await import("/app/src/platform/embedded-postgres/index.ts")).createEmptyCluster()'

FROM debian:trixie-slim
# Node.js 26 needs libatomic. tini is process 1: it forwards signals and reaps orphaned processes.
# libcap2-bin has setcap.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 libcap2-bin tini \
  && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig/aux-cache
# In group 0 as well: Podman permits ICMP sockets for that group only, Docker for every group. Users
# that platforms such as OpenShift choose are in group 0 too, so that group may write to the volume.
RUN useradd --uid 10001 --user-group --groups root --no-create-home --home-dir /data \
  --shell /usr/sbin/nologin vedette \
  && install --directory --owner=vedette --group=root --mode=0771 /data
# Passes CAP_NET_RAW on to Vedette where the container permits it, see bin/container.sh.
RUN cp /usr/bin/setpriv /usr/local/bin/with-net-raw \
  && setcap cap_net_raw+ep /usr/local/bin/with-net-raw
WORKDIR /app
COPY package.json LICENSE ./
COPY bin ./bin
COPY migrations ./migrations
COPY docs ./docs
COPY runtimes ./runtimes
COPY src ./src
COPY web/build.ts ./web/build.ts
COPY --from=packages /app/node_modules ./node_modules
COPY --from=packages /app/empty-cluster ./empty-cluster
COPY --from=web /app/web/dist ./web/dist
# npm installs the runtimes of scripts into the volume, on request.
COPY --from=packages /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
RUN ln -s /app/bin/vedette.ts /usr/local/bin/vedette \
  && ln -s /usr/local/lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/data
# As a number, so that Kubernetes can verify that it is not root.
USER 10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s --retries=3 \
  CMD ["/app/bin/health.sh"]
ENTRYPOINT ["tini", "--", "/app/bin/container.sh"]
CMD ["server"]
