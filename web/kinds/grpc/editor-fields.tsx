import { NativeSelect } from "@mantine/core";
import { getFlag, getList, getText } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { assertionsOf, FamilyField, TimeLimits } from "../editor/assertions-field.tsx";
import { useEditorOf } from "../editor/editor-context.ts";
import { fieldsOf } from "../editor/fields.tsx";
import { PairsField } from "../editor/pairs-field.tsx";
import { words as shared } from "../editor/words.ts";
import type { CheckValues } from "../form-values.ts";
import type { KindEditor } from "../kind.ts";
import {
  describeAssertions,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";
import { grpcTarget } from "../targets.ts";

type Values = CheckValues<"GRPC">;

const assertionSources: SourceLabels<"GRPC"> = {
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

function describeGrpc(values: Values): string[] {
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

const words = {
  mode: "Call",
  health: "Health service",
  behavior: "A method",
  service: "Service",
  serviceHint: "If empty, the health of the whole server is queried.",
  method: "Method",
  methodExample: "shop.v1.Cart/Get",
  definition: "Types of the method",
  reflection: "From the server (reflection)",
  protoFile: "From a .proto file",
  protoContent: ".proto file",
  protoHint: "All definitions in one file. It can import google/protobuf files.",
  message: "Message",
  messageHint: "JSON. Can contain {{NAME}} variables.",
  metadata: "Metadata",
  oneMetadata: "metadata",
  tls: "Use TLS",
  skipSSL: "Ignore certificate errors",
  timeout: "Timeout",
  seconds: "s",
  statusCode: "Status code (0 is OK)",
  healthStatus: "Health status (1 is SERVING)",
  response: "Response message as JSON",
  text: "Response message as text",
  responseMetadata: "Response metadata",
  time: "Response time (ms)",
  pattern: "Regular expression",
  assertionsHint:
    "Without an assertion on the status, any status but OK fails. Without one on the health status, any but SERVING fails.",
} as const;

const { FlagField, LongTextField, NumberField, TextField } = fieldsOf<"GRPC">();
const AssertionsField = assertionsOf<"GRPC">();

const modePath = "request.grpcConfig.mode";
const definitionPath = "request.grpcConfig.serviceDefinition";

/**
 * Values that are set when a mode is selected. They clear the fields that the mode does not allow.
 */
const modes = {
  HEALTH: { mode: "HEALTH", service: "", method: null, protoContent: null, message: null },
  BEHAVIOR: { mode: "BEHAVIOR", service: null, serviceDefinition: "REFLECTION" },
} as const;

function ModeField() {
  const { values, merge, noteLabel, findFieldError } = useEditorOf<"GRPC">();
  noteLabel(modePath, words.mode);
  const choose = (mode: string) =>
    merge({ request: { grpcConfig: mode === "HEALTH" ? modes.HEALTH : modes.BEHAVIOR } });
  return (
    <NativeSelect
      label={words.mode}
      data-path={modePath}
      error={findFieldError(modePath)}
      data={[
        { value: "HEALTH", label: words.health },
        { value: "BEHAVIOR", label: words.behavior },
      ]}
      value={getText(values, modePath)}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  );
}

function DefinitionField() {
  const { values, merge, noteLabel, findFieldError } = useEditorOf<"GRPC">();
  noteLabel(definitionPath, words.definition);
  const choose = (value: string) =>
    merge({
      request: {
        grpcConfig:
          value === "PROTO_FILE"
            ? { serviceDefinition: value }
            : { serviceDefinition: "REFLECTION", protoContent: null },
      },
    });
  return (
    <NativeSelect
      label={words.definition}
      data-path={definitionPath}
      error={findFieldError(definitionPath)}
      data={[
        { value: "REFLECTION", label: words.reflection },
        { value: "PROTO_FILE", label: words.protoFile },
      ]}
      value={getText(values, definitionPath)}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  );
}

function CallFields() {
  const { values } = useEditorOf<"GRPC">();
  return (
    <>
      <FieldRow>
        <TextField
          path="request.grpcConfig.method"
          label={words.method}
          example={words.methodExample}
          empty={null}
        />
        <DefinitionField />
      </FieldRow>
      {getText(values, definitionPath) === "PROTO_FILE" && (
        <LongTextField
          path="request.grpcConfig.protoContent"
          label={words.protoContent}
          hint={words.protoHint}
          empty={null}
          rows={10}
        />
      )}
      <LongTextField
        path="request.grpcConfig.message"
        label={words.message}
        hint={words.messageHint}
        empty={null}
      />
    </>
  );
}

function WhatFields() {
  const { values } = useEditorOf<"GRPC">();
  const isHealth = getText(values, modePath) === "HEALTH";
  return (
    <>
      <FlagField path="request.grpcConfig.tls" label={words.tls} />
      <FieldRow>
        <ModeField />
        {isHealth && (
          <TextField
            path="request.grpcConfig.service"
            label={words.service}
            hint={words.serviceHint}
          />
        )}
      </FieldRow>
      {!isHealth && <CallFields />}
      <PairsField
        path="request.grpcConfig.metadata"
        label={words.metadata}
        one={words.oneMetadata}
        hint={shared.variables}
      />
    </>
  );
}

function FailingFields() {
  return (
    <>
      <TimeLimits />
      <AssertionsField
        sources={[
          { value: "GRPC_STATUS_CODE", label: words.statusCode },
          { value: "GRPC_HEALTHCHECK_STATUS", label: words.healthStatus },
          { value: "GRPC_RESPONSE", label: words.response, example: "$.id" },
          { value: "TEXT_BODY", label: words.text, example: words.pattern },
          { value: "GRPC_METADATA", label: words.responseMetadata, example: "x-request-id" },
          { value: "RESPONSE_TIME", label: words.time },
        ]}
        hint={words.assertionsHint}
      />
    </>
  );
}

function MoreFields() {
  return (
    <>
      <FlagField path="request.skipSSL" label={words.skipSSL} />
      <FieldRow>
        <NumberField path="request.timeout" label={words.timeout} unit={words.seconds} />
        <FamilyField />
      </FieldRow>
    </>
  );
}

export const editor: KindEditor<"GRPC"> = {
  describe: describeGrpc,
  assertionSources,
  WhatFields,
  FailingFields,
  MoreFields,
};
