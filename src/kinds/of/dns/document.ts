import { Type } from "typebox";
import { toTrouble } from "../../../contract/result.ts";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import type { Run } from "../../kit/definition.ts";
import { roundFigure } from "../../kit/figures.ts";
import { computeTotalMs, type DnsMeasurement, type DnsTrouble, readAnswer } from "./measurement.ts";
import type { DnsRequest } from "./request.ts";
import { type Message, maxRecords, type ResourceRecord } from "./wire/message.ts";
import { queryTypes, writeResponseCode } from "./wire/record-types.ts";

const Nullable = OrNull(Type.Number());

const RecordSchema = Type.Object(
  {
    name: Type.String({ description: "The owner of the record.", examples: ["www.example.com."] }),
    type: Type.String({ description: "The type of the record.", examples: ["A"] }),
    TTL: Type.Integer({
      description: "Time to live in seconds.",
      examples: [300],
      minimum: 0,
      maximum: 0xffff_ffff,
    }),
    data: Type.String({
      description:
        "In zone file syntax; the strings of a TXT record are joined, without quotes. Non-printable " +
        "bytes are a backslash and three digits. Data of an unknown type or " +
        "invalid data is `\\#`, its length and its bytes in hexadecimal.",
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
    AA: flag("The server is authoritative for the name.", false),
    TC: flag("The server truncated the answer.", false),
    RD: flag("The query requested recursion.", true),
    RA: flag("The server supports recursion.", true),
    AD: flag("The server verified the answer with DNSSEC.", false),
    CD: flag("The query disabled DNSSEC verification.", false),
    Question: Type.Array(
      Type.Object({
        name: Type.String({
          description: "The queried name.",
          examples: ["www.example.com."],
        }),
        type: Type.String({ description: "The queried record type.", examples: ["A"] }),
      }),
      { description: "The question as repeated by the server.", maxItems: 1 },
    ),
    Answer: records("The records of the answer section."),
    Authority: records("The records of the authority section."),
    Additional: records("The records of the additional section."),
  },
  { title: "DnsAnswer" },
);

const ResponseSchema = Type.Object(
  {
    query: Type.String({ description: "The queried name.", examples: ["www.example.com"] }),
    recordType: Described(OneOf(queryTypes), "The queried record type.", "A"),
    nameServer: Described(
      OrNull(Type.String()),
      "The DNS server; `null` for that of the system.",
      "ns1.example.com",
    ),
    resolvedIp: Described(
      OrNull(Type.String()),
      "The IP address of the server; `null` if no query was sent.",
      "192.0.2.53",
    ),
    port: Type.Integer({ description: "The port of the server.", examples: [53] }),
    protocol: Described(
      OrNull(OneOf(["UDP", "TCP"])),
      "The transport of the answer; `null` if there was none.",
      "UDP",
    ),
    responseCode: Described(
      OrNull(Type.String()),
      "The response code; `null` if there was no answer.",
      "NOERROR",
    ),
    timings: Type.Object(
      {
        nameServer: Described(
          Nullable,
          "Resolution of the server's name, not part of the total; `null` if unknown.",
          0.1,
        ),
        udp: Described(
          Nullable,
          "From the first query to the answer over UDP; `null` if there was none.",
          4.2,
        ),
        tcp: Described(
          Nullable,
          "From the connection to the complete answer over TCP; `null` if there was none.",
          null,
        ),
        total: Described(Nullable, "Total; `null` if there was no answer.", 4.2),
      },
      { description: "Milliseconds." },
    ),
    queriesSent: Type.Integer({ description: "Number of queries sent.", examples: [1] }),
    ignoredAnswers: Type.Integer({
      description: "Number of messages from the server that answered other queries.",
      examples: [0],
    }),
    bytesReceived: Type.Integer({ description: "Length of the answer in bytes.", examples: [61] }),
    isCut: Type.Boolean({
      description: "Whether the answer had more records than shown.",
      examples: [false],
    }),
    json: Described(OrNull(JsonAnswer), "The answer; `null` if there was none."),
    text: Type.String({
      description: "The answer as text in zone file syntax; empty if there was none.",
      examples: ["www.example.com.\t300\tIN\tA\t192.0.2.1"],
    }),
    error: Described(
      OrNull(Type.Object({}, { additionalProperties: true })),
      "Why there was no answer or no measurement; `null` if there was one.",
      null,
    ),
  },
  { title: "DnsResponse" },
);

export const DocumentSchema = Type.Object(
  { response: Described(ResponseSchema, "Timings and answer.") },
  { description: "The result of a DNS check." },
);

/** Result of a run in the format of the API, without its error. Assertions read this format. */
type DnsResponse = Omit<Type.Static<typeof ResponseSchema>, "error">;
type Answer = NonNullable<DnsResponse["json"]>;
type DnsRun = Pick<Run<DnsRequest, DnsMeasurement>, "request" | "outcome">;

/** Builds the response document. Every outcome has the same fields. */
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

/** Formats the answer like `dig`. */
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
  const questions = question === null ? [] : [`;${question.name}\tIN\t${question.type}`];
  return [
    `;; opcode: QUERY, status: ${status}`,
    `;; flags: ${flags.join(" ")}; QUERY: ${questions.length}, ANSWER: ${answers.length}, ` +
      `AUTHORITY: ${authorities.length}, ADDITIONAL: ${additionals.length}`,
    ...writeSection("QUESTION", questions),
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
