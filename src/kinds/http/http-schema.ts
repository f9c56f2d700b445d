import { Type } from "typebox";
import { TlsFactsSchema } from "../tls/tls-schema.ts";
import { bodyEnds } from "./http-measurement.ts";
import { maxRedirects } from "./http-request.ts";

const Figure = Type.Number({ minimum: 0 });
const Url = Type.String({ maxLength: 4_096 });
const Address = Type.String({ maxLength: 64 });
const Status = Type.Integer({ minimum: 0, maximum: 0xffff });

const Phases = Type.Object({
  dnsMs: Figure,
  connectMs: Figure,
  tlsMs: Type.Union([Figure, Type.Null()]),
  firstByteMs: Figure,
  bodyMs: Figure,
});

/** Schema fields of a measurement that all HTTP kinds share. */
export const httpMeasurementFields = {
  hops: Type.Array(Type.Object({ url: Url, status: Status, resolvedIp: Address, phases: Phases }), {
    maxItems: maxRedirects,
  }),
  url: Url,
  resolvedIp: Address,
  status: Status,
  statusText: Type.String({ maxLength: 200 }),
  httpVersion: Type.Enum(["1.0", "1.1", "2"]),
  headers: Type.Array(
    Type.Tuple([Type.String({ maxLength: 32_768 }), Type.String({ maxLength: 32_768 })]),
    {
      maxItems: 1_000,
    },
  ),
  phases: Phases,
  redirectMs: Figure,
  totalMs: Figure,
  receivedBytes: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
  bodyEnd: Type.Enum([...bodyEnds]),
  tls: Type.Union([TlsFactsSchema, Type.Null()]),
};
