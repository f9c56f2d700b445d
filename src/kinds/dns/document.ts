import { Type } from "typebox";
import { toTrouble } from "../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import type { Run } from "../kind.ts";
import { roundFigure } from "../round-figure.ts";
import { computeTotalMs, type DnsMeasurement, type DnsTrouble, readAnswer } from "./measurement.ts";
import type { DnsRequest } from "./order.ts";
import { type Message, maxRecords, type ResourceRecord } from "./wire/message.ts";
import { askedTypes, writeResponseCode } from "./wire/record-types.ts";

const Nullable = OrNull(Type.Number());

const RecordSchema = Type.Object(
  {
    name: Type.String({ description: "The owner of the record.", examples: ["www.example.com."] }),
    type: Type.String({ description: "The type of the record.", examples: ["A"] }),
    TTL: Type.Integer({
      description: "For how many seconds it may be kept.",
      examples: [300],
      minimum: 0,
      maximum: 0xffff_ffff,
    }),
    data: Type.String({
      description:
        "As a zone file has it; the pieces of a text are put together, without quotes. Bytes that " +
        "are not printable are a backslash and three digits, and data of an unknown type or that " +
        "is broken is `\\#`, its length and its bytes in hexadecimal.",
      examples: ["192.0.2.1"],
    }),
  },
  { title: "DnsRecord" },
);
const records = (description: string) =>
  Type.Array(RecordSchema, { description, maxItems: maxRecords });
const flag = (description: string, example: boolean) =>
  Type.Boolean({ description, examples: [example] });

const JsonAnswer = Type.Object(
  {
    Status: Type.String({ description: "The response code.", examples: ["NOERROR"] }),
    AA: flag("The server is an authority for the name.", false),
    TC: flag("The answer was cut short by the server.", false),
    RD: flag("The query asked the server to ask others.", true),
    RA: flag("The server does that.", true),
    AD: flag("The server has verified the answer by DNSSEC.", false),
    CD: flag("The server was asked not to verify it.", false),
    Question: Type.Array(
      Type.Object({
        name: Type.String({
          description: "The name that was asked for.",
          examples: ["www.example.com."],
        }),
        type: Type.String({ description: "The type that was asked for.", examples: ["A"] }),
      }),
      { description: "What was asked, as the server repeated it.", maxItems: 1 },
    ),
    Answer: records("The records that answer the question."),
    Authority: records("Who is responsible for the name."),
    Additional: records("What the server added."),
  },
  { title: "DnsAnswer" },
);

const ResponseSchema = Type.Object(
  {
    query: Type.String({ description: "What was asked for.", examples: ["www.example.com"] }),
    recordType: Described(OneOf(askedTypes), "The type that was asked for.", "A"),
    nameServer: Described(
      OrNull(Type.String()),
      "The server that was asked; null: that of the system.",
      "ns1.example.com",
    ),
    resolvedIp: Described(
      OrNull(Type.String()),
      "The address that was asked; null: none was.",
      "192.0.2.53",
    ),
    port: Type.Integer({ description: "The port of the server.", examples: [53] }),
    protocol: Described(
      OrNull(OneOf(["UDP", "TCP"])),
      "How the answer came; null: none came.",
      "UDP",
    ),
    responseCode: Described(
      OrNull(Type.String()),
      "The response code; null: no answer came.",
      "NOERROR",
    ),
    timings: Type.Object(
      {
        nameServer: Described(
          Nullable,
          "To resolve the name of the server; not a part of the total. Null: not known.",
          0.1,
        ),
        udp: Described(
          Nullable,
          "From the first query to the answer by UDP; null: none came that way.",
          4.2,
        ),
        tcp: Described(
          Nullable,
          "From the connection to the whole answer by TCP; null: none came that way.",
          null,
        ),
        total: Described(Nullable, "Both together; null: no answer came.", 4.2),
      },
      { description: "Milliseconds." },
    ),
    queriesSent: Type.Integer({ description: "How many queries were sent.", examples: [1] }),
    ignoredAnswers: Type.Integer({
      description: "How many messages of the server answered something else.",
      examples: [0],
    }),
    bytesReceived: Type.Integer({ description: "The length of the answer.", examples: [61] }),
    isCut: Type.Boolean({
      description: "True: the answer had more records than are shown.",
      examples: [false],
    }),
    json: Described(OrNull(JsonAnswer), "The answer; null: none came."),
    text: Type.String({
      description: "The same as text, in the form of a zone file; empty: none came.",
      examples: ["www.example.com.\t300\tIN\tA\t192.0.2.1"],
    }),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why no answer came, or nothing was learned; null: no such trouble.",
      null,
    ),
  },
  { title: "DnsResponse" },
);

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "The times, and what the server answered.") },
  { description: "What a DNS query found." },
);

/** What a run found, in the words of the public API. Assertions read it, and replies carry it. */
export type DnsResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;
type Answer = NonNullable<DnsResponse["json"]>;
type DnsRun = Pick<Run<DnsRequest, DnsMeasurement>, "request" | "outcome">;

/** The same fields whatever happened. */
export function buildResponse({ request, outcome }: DnsRun): DnsResponse {
  const measured = outcome.kind === "measured" ? outcome.measurement : null;
  const trouble = outcome.kind === "unreachable" ? (outcome.trouble as DnsTrouble) : null;
  const message = measured && readAnswer(measured);
  const responseCode = measured && writeResponseCode(measured.responseCode);
  return {
    query: request.query,
    recordType: request.recordType,
    nameServer: request.nameServer,
    resolvedIp: measured?.resolvedIp ?? trouble?.resolvedIp ?? null,
    port: measured?.port ?? trouble?.port ?? request.port,
    protocol: measured && (measured.tcpMs === null ? "UDP" : "TCP"),
    responseCode,
    timings: {
      nameServer: measured?.nameServerMs ?? trouble?.nameServerMs ?? null,
      udp: measured?.udpMs ?? null,
      tcp: measured?.tcpMs ?? null,
      total: measured && roundFigure(computeTotalMs(measured)),
    },
    queriesSent: measured?.queriesSent ?? trouble?.queriesSent ?? 0,
    ignoredAnswers: measured?.ignoredAnswers ?? trouble?.ignoredAnswers ?? 0,
    bytesReceived: measured?.receivedBytes ?? 0,
    isCut: measured?.isCut ?? false,
    json: message && buildAnswer(message, responseCode ?? ""),
    text: message === null ? "" : writeAnswer(message, responseCode ?? ""),
  };
}

function buildAnswer(message: Message, Status: string): Answer {
  const list = (some: readonly ResourceRecord[]) =>
    some.map(({ name, type, ttl, data }) => ({ name, type, TTL: ttl, data }));
  return {
    Status,
    AA: message.isAuthoritative,
    TC: message.isTruncated,
    RD: message.recursionDesired,
    RA: message.recursionAvailable,
    AD: message.authentic,
    CD: message.checkingDisabled,
    Question: message.question === null ? [] : [message.question],
    Answer: list(message.answers),
    Authority: list(message.authorities),
    Additional: list(message.additionals),
  };
}

/** As people know it from `dig`. */
function writeAnswer(message: Message, status: string): string {
  const { question, answers, authorities, additionals } = message;
  const flags = [
    "qr",
    ...(message.isAuthoritative ? ["aa"] : []),
    ...(message.isTruncated ? ["tc"] : []),
    ...(message.recursionDesired ? ["rd"] : []),
    ...(message.recursionAvailable ? ["ra"] : []),
    ...(message.authentic ? ["ad"] : []),
    ...(message.checkingDisabled ? ["cd"] : []),
  ];
  const asked = question === null ? [] : [`;${question.name}\tIN\t${question.type}`];
  return [
    `;; opcode: QUERY, status: ${status}`,
    `;; flags: ${flags.join(" ")}; QUERY: ${asked.length}, ANSWER: ${answers.length}, ` +
      `AUTHORITY: ${authorities.length}, ADDITIONAL: ${additionals.length}`,
    ...writeSection("QUESTION", asked),
    ...writeSection("ANSWER", answers.map(writeRecord)),
    ...writeSection("AUTHORITY", authorities.map(writeRecord)),
    ...writeSection("ADDITIONAL", additionals.map(writeRecord)),
    "",
  ].join("\n");
}

function writeSection(name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `;; ${name} SECTION:`, ...lines];
}

function writeRecord({ name, ttl, type, zoneText }: ResourceRecord): string {
  return `${name}\t${ttl}\tIN\t${type}\t${zoneText}`;
}

export function buildDocument(
  run: Run<DnsRequest, DnsMeasurement>,
): Type.Static<typeof DocumentSchema> {
  return { response: { ...buildResponse(run), error: toTrouble(run.outcome) } };
}
