import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { hostOf } from "../../platform/outbound-guard.ts";
import type { Run, SeenCertificate } from "../definition.ts";
import { toSeenCertificate } from "../tls/tls-facts.ts";
import { TlsFactsSchema } from "../tls/tls-schema.ts";
import type { HttpMeasurement } from "./http-measurement.ts";

const TroubleSchema = Type.Object({ url: Type.String({ maxLength: 4_096 }), tls: TlsFactsSchema });

let compiled: { Check(value: unknown): boolean } | undefined;

/** The details of an outcome come from the probe and are not validated yet. */
function isTroubleWithTls(trouble: object): trouble is Pick<HttpMeasurement, "url" | "tls"> {
  compiled ??= Compile(TroubleSchema);
  return compiled.Check(trouble);
}

/** The host whose client certificate a request may present; `null` if it does not use TLS. */
export function findHttpsHost({ url }: { readonly url: string }): { readonly host: string } | null {
  const parsed = URL.parse(url);
  return parsed?.protocol === "https:" ? { host: hostOf(parsed) } : null;
}

/**
 * Returns the certificate of the last server that the run connected to, even if it was not trusted.
 */
export function findHttpCertificate({
  outcome,
}: Pick<Run<unknown, HttpMeasurement>, "outcome">): SeenCertificate | null {
  if (outcome.kind !== "measured" && outcome.kind !== "unreachable") return null;
  const found = outcome.kind === "measured" ? outcome.measurement : outcome.trouble;
  if (outcome.kind === "unreachable" && !isTroubleWithTls(found)) return null;
  const { url, tls } = found as Pick<HttpMeasurement, "url" | "tls">;
  const host = URL.canParse(url) ? hostOf(new URL(url)) : "";
  return tls === null || host === "" ? null : toSeenCertificate(host, tls);
}
