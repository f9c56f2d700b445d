import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import type { ScriptMeasurement, ScriptPage, ScriptRequest } from "../../../sandbox/script-run.ts";
import type { Run } from "../definition.ts";
import { buildDocument, createDocumentSchema } from "./document.ts";

const Milliseconds = (description: string, example: number) =>
  Described(OrNull(Type.Number()), `${description}; \`null\` if unknown.`, example);

const Texts = (description: string, example: string) =>
  Type.Array(Type.String(), { description, examples: [[example]] });

const WebVitalsSchema = Type.Object(
  {
    TTFB: Milliseconds("Time to first byte in milliseconds", 84),
    FCP: Milliseconds("First contentful paint in milliseconds", 310),
    LCP: Milliseconds("Largest contentful paint in milliseconds", 420),
    CLS: Milliseconds("Cumulative layout shift, a score", 0.02),
  },
  { title: "WebVitals" },
);

const RequestErrorSchema = Type.Object(
  {
    method: Type.String({ description: "The method.", examples: ["GET"] }),
    url: Type.String({ description: "The URL.", examples: ["https://shop.example.com/a.js"] }),
    status: Described(OrNull(Type.Integer()), "The status; `null` without a response.", 404),
    error: Described(
      OrNull(Type.String()),
      "Why there was no response; `null` if there was.",
      null,
    ),
  },
  { title: "BrowserRequestError" },
);

const PageSchema = Type.Object(
  {
    url: Type.String({ description: "The URL.", examples: ["https://shop.example.com/"] }),
    startMs: Type.Number({ description: "Milliseconds since the script started." }),
    status: Described(OrNull(Type.Integer()), "The status; `null` without a response.", 200),
    webVitals: Described(WebVitalsSchema, "How the page appeared to its user."),
    consoleErrors: Texts("Errors in its console.", "The cart is empty."),
    userScriptErrors: Texts("Uncaught errors of its scripts.", "total is not defined"),
    networkErrors: Type.Array(RequestErrorSchema, {
      description: "Requests that failed, or had a status of 400 or more.",
    }),
  },
  { title: "BrowserPage" },
);

const Count = (description: string) => Type.Integer({ description, examples: [0] });

const TraceSummarySchema = Type.Object(
  {
    consoleErrors: Count("Errors in consoles."),
    userScriptErrors: Count("Uncaught errors of pages' scripts."),
    networkErrors: Count("Requests of pages that failed, without their documents."),
    documentErrors: Count("Documents that failed to load."),
  },
  { title: "BrowserTraceSummary" },
);

/** Creates the schema of a script result for a kind whose scripts use a browser. */
export const createPageDocumentSchema = (aCheck: string, own: Type.TProperties = {}) =>
  createDocumentSchema(aCheck, {
    ...own,
    type: Type.String({ description: "Always `PLAYWRIGHT`.", examples: ["PLAYWRIGHT"] }),
    traceSummary: Described(TraceSummarySchema, "Numbers of errors of all pages."),
    pages: Type.Array(PageSchema, { description: "Documents in the order of their requests." }),
    playwrightTestVideos: Type.Array(Type.String(), {
      description: "Always empty.",
      examples: [[]],
    }),
  });

const isOfDocument = (page: ScriptPage) => (request: ScriptPage["requestErrors"][number]) =>
  request.url === page.url;

export function buildPageDocument(run: Run<ScriptRequest, ScriptMeasurement>) {
  const pages = run.outcome.kind === "measured" ? run.outcome.measurement.pages : [];
  const count = (read: (page: ScriptPage) => number) =>
    pages.reduce((sum, page) => sum + read(page), 0);
  const documentErrors = count((page) => (page.requestErrors.some(isOfDocument(page)) ? 1 : 0));
  return {
    ...buildDocument(run),
    type: "PLAYWRIGHT",
    traceSummary: {
      consoleErrors: count((page) => page.consoleErrors.length),
      userScriptErrors: count((page) => page.pageErrors.length),
      networkErrors: count((page) => page.requestErrors.length) - documentErrors,
      documentErrors,
    },
    pages: pages.map(({ url, startMs, status, vitals, ...errors }) => ({
      ...{ url, startMs, status },
      webVitals: {
        TTFB: vitals.ttfbMs,
        FCP: vitals.fcpMs,
        LCP: vitals.lcpMs,
        CLS: vitals.cls,
      },
      consoleErrors: [...errors.consoleErrors],
      userScriptErrors: [...errors.pageErrors],
      networkErrors: [...errors.requestErrors],
    })),
    playwrightTestVideos: [],
  };
}
