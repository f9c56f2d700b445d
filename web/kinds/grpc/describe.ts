import { getFlag, getList, getText } from "../../parts/fields.ts";
import type { CheckValues } from "../form-values.ts";
import {
  describeAssertions,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";
import { grpcTarget } from "./target.ts";

type Values = CheckValues<"GRPC">;

export const assertionSources: SourceLabels<"GRPC"> = {
  RESPONSE_TIME: "the response time",
  GRPC_STATUS_CODE: "the status code",
  GRPC_HEALTHCHECK_STATUS: "the health status",
  GRPC_RESPONSE: "the response message",
  TEXT_BODY: "the response text",
  GRPC_METADATA: "the response metadata",
};

function describeCall(values: Values): string {
  const target = grpcTarget.target?.write(values) || unnamed;
  const method = getText(values, "request.grpcConfig.method") || "a method";
  const service = getText(values, "request.grpcConfig.service");
  if (getText(values, "request.grpcConfig.mode") !== "HEALTH")
    return `Calls ${method} on ${target}.`;
  return `Queries the health of ${service === "" ? "" : `${service} on `}${target}.`;
}

export function describeGrpc(values: Values): string[] {
  const asserted = getList(values, "request.assertions").map(({ source }) => source);
  const isHealth = getText(values, "request.grpcConfig.mode") === "HEALTH";
  const isServing = isHealth && !asserted.includes("GRPC_HEALTHCHECK_STATUS");
  return [
    describeCall(values),
    ...(asserted.includes("GRPC_STATUS_CODE")
      ? []
      : [`It fails if the status is not OK${isServing ? " or the service is not serving" : ""}.`]),
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
    ...(getFlag(values, "request.skipSSL") ? ["Certificate errors are ignored."] : []),
  ];
}
