# An image with `debate-tui`, its pages for browsers and TLS for language models: `docker build -t debate-tui .`
# It serves `debate-tui web`, unless another command is given, such as `study serve pilot --listen 0.0.0.0:8080`.
FROM rust:1-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --features web,tls

FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 study \
    && install --directory --owner study /data
COPY --from=build /source/target/release/debate-tui /usr/local/bin/
USER study
# The folder of studies, for example from `--volume /srv/study:/data`. The user with id 1000 must own it.
WORKDIR /data
EXPOSE 8080
ENTRYPOINT ["debate-tui"]
CMD ["web", "--listen", "0.0.0.0:8080"]
