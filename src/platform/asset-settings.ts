import { integerBetween, matching, urlWith } from "./setting-parsers.ts";

/** Settings for the files of runs and the trace viewer. src/config.ts includes these settings. */
export const assetSettings = {
  ASSET_QUOTA_MB: {
    parse: integerBetween(20, 10_000_000),
    fallback: "1000",
    allowed: "20 to 10000000",
    purpose:
      "Disk space for the files of runs of each account, such as screenshots and traces; the oldest are deleted first.",
  },
  ASSET_RETENTION_DAYS: {
    parse: integerBetween(1, 3_650),
    fallback: undefined,
    allowed: "1 to 3650",
    purpose: "How long files of runs are retained; by default, and at most, as long as results.",
  },
  S3_ENDPOINT: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose:
      "S3-compatible storage for the files of runs, which all servers share; by default each server stores them in `DATA_DIR`. Private addresses are allowed.",
  },
  S3_BUCKET: {
    parse: matching(/^[a-z0-9][a-z0-9.-]{2,62}$/, "must be the name of a bucket"),
    fallback: undefined,
    allowed: "3 to 63 lowercase letters, digits, dots and hyphens",
    purpose: "Bucket of this installation. Required with `S3_ENDPOINT`.",
  },
  S3_REGION: {
    parse: matching(/^[a-z0-9-]{1,63}$/, "must be the name of a region"),
    fallback: "us-east-1",
    allowed: "lowercase letters, digits and hyphens",
    purpose: "Region of the bucket, which is part of the signature of requests.",
  },
  S3_ACCESS_KEY_ID: {
    parse: matching(/^[\x21-\x7e]{1,200}$/, "must have 1 to 200 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 200 visible ASCII characters",
    purpose: "Key id for the bucket. Required with `S3_ENDPOINT`.",
  },
  S3_SECRET_ACCESS_KEY: {
    parse: matching(/^[\x21-\x7e]{1,200}$/, "must have 1 to 200 visible ASCII characters"),
    fallback: undefined,
    allowed: "1 to 200 visible ASCII characters",
    purpose: "Secret key for the bucket. Required with `S3_ENDPOINT`.",
    isSecret: true,
  },
  VIEWER_PORT: {
    parse: integerBetween(0, 65_535),
    fallback: undefined,
    allowed: "0 to 65535",
    purpose: "Port of the trace viewer; by default the one after `PORT`; 0 picks a free one.",
  },
  VIEWER_URL: {
    parse: urlWith(["http:", "https:"]),
    fallback: undefined,
    allowed: "`http://…` or `https://…`",
    purpose:
      "Public URL of `VIEWER_PORT`, with another host name than `PUBLIC_URL`. Without it traces can be viewed on this machine only, and downloaded everywhere.",
  },
} as const;
