import { html, type Markup } from "../html.ts";
import { type Section, slugOf } from "./guide.ts";
import { docsScriptPath, docsStylesheetPath, renderSearchForm } from "./page.ts";

/** The parts of a JSON schema that the API reference shows. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly $ref?: string;
}

/** Returns the name of the component that a schema refers to. */
function nameOf(schema: JsonSchema): string | undefined {
  return schema.$ref?.split("/").at(-1);
}

function describeType(schema: JsonSchema): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.enum !== undefined) return schema.enum.map(String).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const branches = schema.type === undefined ? (schema.anyOf ?? schema.oneOf) : undefined;
  if (branches !== undefined) return branches.map(describeType).join(" or ");
  if (schema.type === "array") return `array of ${describeType(schema.items ?? {})}`;
  const type = [schema.type ?? "any"].flat().join(" or ");
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

const inWords = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function describeLimits(schema: JsonSchema): string {
  const limits = [
    schema.default === undefined ? null : `default ${inWords(schema.default)}`,
    schema.minimum === undefined ? null : `at least ${schema.minimum}`,
    schema.maximum === undefined ? null : `at most ${schema.maximum}`,
    schema.minLength === undefined ? null : `${schema.minLength} or more characters`,
    schema.maxLength === undefined ? null : `up to ${schema.maxLength} characters`,
    schema.minItems === undefined ? null : `${schema.minItems} or more items`,
    schema.maxItems === undefined ? null : `up to ${schema.maxItems} items`,
  ];
  return limits.filter((part) => part !== null).join(", ");
}

function findLimits(schema: JsonSchema): string {
  const branches = schema.type === undefined ? (schema.anyOf ?? []) : [];
  const own = describeLimits(schema);
  return [own, ...branches.map(describeLimits)].filter((part) => part !== "").join(", ");
}

/** The parts of an OpenAPI document that the API reference shows. */
interface ApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
  };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Body>>;
    readonly headers: Readonly<Record<string, { readonly description: string }>>;
  };
}

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}

interface Body {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
  readonly security: readonly unknown[];
}

type Resolve = <Part extends object>(part: Part) => Part;

/** Returns a function that resolves a reference to the component that it refers to. */
function createResolve(document: ApiDocument): Resolve {
  return <Part extends object>(part: Part): Part => {
    const { $ref } = part as { $ref?: string };
    if ($ref === undefined) return part;
    const steps = $ref.slice(2).split("/");
    return steps.reduce<unknown>(
      (found, step) => (found as Record<string, unknown>)[step],
      document,
    ) as Part;
  };
}

/** Renders a description, with text between backticks as code. */
function renderWords(text: string | undefined): Markup[] {
  return (text ?? "")
    .split("`")
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** Returns the object schema that an array or a nullable union contains, or the schema itself. */
function findObject(schema: JsonSchema, resolve: Resolve): JsonSchema {
  const whole = resolve(schema);
  if (whole.type === "array") return findObject(whole.items ?? {}, resolve);
  const branches = whole.anyOf?.filter(({ type }) => type !== "null") ?? [];
  return branches[0] !== undefined && branches.length === 1
    ? findObject(branches[0], resolve)
    : whole;
}

class Fields {
  readonly #resolve: Resolve;

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  render(schema: JsonSchema, depth = 0): Markup | null {
    const shape = findObject(schema, this.#resolve);
    if (shape.oneOf !== undefined && depth <= 3) return this.#renderKinds(shape.oneOf, depth);
    const fields = Object.entries(shape.properties ?? {});
    if (fields.length === 0 || depth > 3) return null;
    const rows = fields.map(([name, field]) => {
      const isRequired = shape.required?.includes(name) ?? false;
      return html`<tr>
      <td><code>${name}</code>${isRequired && html` <b title="always there">*</b>`}</td>
      <td>${describeType(field)}</td>
      <td>${this.#describe(field)}${this.render(field, depth + 1)}</td>
    </tr>`;
    });
    const table = html`<table><thead><tr><th>field</th><th>type</th><th>notes</th></tr></thead>
    <tbody>${rows}</tbody></table>`;
    return depth === 0 ? html`<div class="scroll" tabindex="0">${table}</div>` : table;
  }

  #describe(field: JsonSchema): Markup {
    const limits = findLimits(field);
    const { description = this.#resolve(field).description } = field;
    return html`${renderWords(description)}${limits !== "" && html` <small>${limits}</small>`}`;
  }

  #renderKinds(kinds: readonly JsonSchema[], depth: number): Markup {
    return html`${kinds.map((kind) => {
      const name = nameOf(kind) ?? String(this.#resolve(kind).properties?.type?.const ?? "Kind");
      return html`<details><summary>${name}</summary>${this.render(kind, depth)}</details>`;
    })}`;
  }
}

function renderExample(example: unknown): Markup | null {
  if (example === undefined) return null;
  const text = typeof example === "string" ? example : JSON.stringify(example, null, 2);
  return html`<details class="example"><summary>Example</summary>
    <pre tabindex="0"><code>${text}</code></pre></details>`;
}

function renderBody(title: string, body: Body, fields: Fields): Markup {
  const [type, content] = Object.entries(body.content ?? {})[0] ?? [];
  return html`<h2>${title}</h2>
    ${content !== undefined && html`<p class="type">${describeType(content.schema)}${type !== "application/json" && ` as ${type}`}</p>${fields.render(content.schema)}${renderExample(content.example)}`}`;
}

function renderParameters(parameters: readonly Parameter[]): Markup | null {
  if (parameters.length === 0) return null;
  const rows = parameters.map(({ name, in: place, description, required, schema }) => {
    const limits = findLimits(schema);
    return html`<tr>
      <td><code>${name}</code>${required && html` <b title="required">*</b>`}</td>
      <td>${place}</td><td>${describeType(schema)}</td>
      <td>${renderWords(description)}${limits !== "" && html` <small>${limits}</small>`}</td></tr>`;
  });
  return html`<h2>Parameters</h2><div class="scroll" tabindex="0"><table>
    <thead><tr><th>name</th><th>in</th><th>type</th><th>notes</th></tr></thead>
    <tbody>${rows}</tbody></table></div>`;
}

/** Renders a curl command. It works in a shell in which the user has set two variables. */
function renderCurl(method: string, path: string, operation: Operation): Markup {
  const body = operation.requestBody?.content?.["application/json"]?.example;
  const json = JSON.stringify(body)?.replaceAll("'", "'\\''");
  const parts = [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"$VEDETTE${path}"`,
    operation.security.length === 0 ? null : `-H "Authorization: Bearer $VEDETTE_KEY"`,
    json === undefined ? null : `-H "Content-Type: application/json" -d '${json}'`,
  ];
  return html`<pre tabindex="0"><code>${parts.filter((part) => part !== null).join(" \\\n  ")}</code></pre>`;
}

function isSuccess(status: string): boolean {
  return status.startsWith("2");
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function renderHeaders(body: Body): Markup | null {
  const usual = /^(X-Request-Id|RateLimit-)/;
  const names = Object.keys(body.headers ?? {}).filter((name) => !usual.test(name));
  if (names.length === 0) return null;
  return html`<p>Headers: ${names.map((name, index) => html`${index > 0 && ", "}<a href="/docs/api#header-${name}"><code>${name}</code></a>`)}</p>`;
}

function renderOperation({ method, path, operation }: Entry, fields: Fields): Markup {
  const responses = Object.entries(operation.responses);
  const successes = responses.filter(([status]) => isSuccess(status));
  const errors = responses.filter(([status]) => !isSuccess(status));
  return html`<h1>${operation.summary}</h1>
    <section class="operation" id="${operation.operationId}" data-method="${method}" data-path="${path}">
    <p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>
    <code class="id" title="the operation's id, which generated clients use">${operation.operationId}</code></p>
    <p>${renderWords(operation.description)}</p>
    ${renderCurl(method, path, operation)}
    ${renderParameters(operation.parameters ?? [])}
    ${operation.requestBody && renderBody("Body", operation.requestBody, fields)}
    ${successes.map(([status, body]) => html`${renderBody(`Answer ${status}`, body, fields)}${renderHeaders(body)}`)}
    <p class="errors">Errors: ${errors.map(([status], index) => html`${index > 0 && ", "}<a href="/docs/api#error-${status}">${status}</a>`)}</p>
  </section>`;
}

interface Group {
  readonly tag: string;
  readonly description: string;
  readonly entries: Entry[];
}

/**
 * Groups operations by tag, in the order of the document. Resolves references to parameters,
 * request bodies and responses.
 */
function groupByTag(document: ApiDocument, resolve: Resolve): Group[] {
  const groups = new Map<string, Group>();
  for (const { name, description } of document.tags) {
    groups.set(name, { tag: name, description, entries: [] });
  }
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, written] of Object.entries(methods)) {
      const operation = written as Operation;
      const { parameters = [], requestBody, responses } = operation;
      groups.get(operation.tags[0] ?? "")?.entries.push({
        method,
        path,
        operation: {
          ...operation,
          parameters: parameters.map(resolve),
          ...(requestBody && { requestBody: resolve(requestBody) }),
          responses: Object.fromEntries(
            Object.entries(responses).map(([status, body]) => [status, resolve(body)]),
          ),
        },
      });
    }
  }
  return [...groups.values()].filter(({ entries }) => entries.length > 0);
}

function renderErrors(document: ApiDocument): Markup {
  const errors = Object.entries(document.components.responses)
    .map(([name, { description, content }]) => {
      const { statusCode = 0 } = (content?.["application/json"]?.example ?? {}) as {
        statusCode?: number;
      };
      return { name, description, statusCode };
    })
    .sort((one, two) => one.statusCode - two.statusCode);
  return html`<section id="errors"><h2>Errors</h2><p>Every error has the body
<code>{"statusCode", "error", "message"}</code>. 401 and 429 add <code>attributes</code>, and 400 adds
<code>validation</code> with the source and all offending fields.</p>
<table><thead><tr><th>status</th><th>means</th></tr></thead><tbody>
${errors.map(({ statusCode, description }) => html`<tr id="error-${statusCode}"><td>${statusCode}</td><td>${renderWords(description)}</td></tr>`)}
</tbody></table></section>
<section id="headers"><h2>Headers of answers</h2>
<table><thead><tr><th>header</th><th>means</th></tr></thead><tbody>
${Object.entries(document.components.headers).map(([name, { description }]) => html`<tr id="header-${name}"><td><code>${name}</code></td><td>${renderWords(description)}</td></tr>`)}
</tbody></table></section>`;
}

const addressOf = (tag: string) => `/docs/api/${slugOf(tag)}`;
const addressOfOperation = ({ operation }: Entry) => `/docs/api/${operation.operationId}`;

/** Lists each operation as a section for the documentation search. */
export function listOperationSections(document: ApiDocument): Section[] {
  return groupByTag(document, createResolve(document)).flatMap(({ tag, entries }) =>
    entries.map((entry) => ({
      address: addressOfOperation(entry),
      page: `API: ${tag}`,
      title: entry.operation.summary,
      text: [entry.method.toUpperCase(), entry.path, entry.operation.operationId]
        .concat(entry.operation.description ?? "")
        .join(" "),
    })),
  );
}

interface Place {
  readonly groups: readonly Group[];
  /** The group that the side list shows open; `null` for the overview. */
  readonly open: Group | null;
  readonly entry: Entry | null;
}

function renderSideList(document: ApiDocument, { groups, open, entry }: Place) {
  const { title, version } = document.info;
  return html`<nav aria-label="Operations"><p class="brand"><a href="/docs/api">${title}</a> <small>${version}</small></p>
${renderSearchForm()}
<ul><li><a href="/">To the application</a></li><li><a href="/docs">All docs</a></li></ul>
<h2>Operations</h2><ul>${groups.map(
    (group) =>
      html`<li><a href="${addressOf(group.tag)}"${group === open && entry === null && html` aria-current="page"`}>${group.tag}</a>${
        group === open &&
        html`<ul class="inner">${group.entries.map(
          (one) =>
            html`<li><a href="${addressOfOperation(one)}"${one === entry && html` aria-current="page"`}>${one.operation.summary}</a></li>`,
        )}</ul>`
      }</li>`,
  )}</ul></nav>`;
}

/** Lists operations. The ids keep links of the time when a page had all operations of a tag. */
function renderList(entries: readonly Entry[]): Markup {
  return html`<ul class="operations">${entries.map(
    (entry) =>
      html`<li id="${entry.operation.operationId}"><a href="${addressOfOperation(entry)}">${entry.operation.summary}</a>
<code>${entry.method.toUpperCase()} ${entry.path}</code></li>`,
  )}</ul>`;
}

function renderOverview(document: ApiDocument, groups: readonly Group[]): Markup {
  const { title, description } = document.info;
  return html`<h1>${title}</h1><p>${renderWords(description)}</p>
<p>The same as a document for machines: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
Generated clients name their methods by the id beside each summary. An asterisk marks what must be
sent, and in answers what is always there.</p>
${groups.map(
  ({ tag, description: about, entries }) =>
    html`<h2><a href="${addressOf(tag)}">${tag}</a></h2><p>${about}</p>${renderList(entries)}`,
)}
${renderErrors(document)}`;
}

function renderGroup({ tag, description, entries }: Group): Markup {
  return html`<h1>${tag}</h1><p>${description}</p>${renderList(entries)}`;
}

/**
 * Returns a function that renders a page of the API reference: of an operation by its id, of a tag
 * by its slug, or the overview for an empty string. It returns `null` for other names. The pages
 * are readable without JavaScript and load nothing from other hosts.
 */
export function createApiReference(document: ApiDocument): (name: string) => string | null {
  const resolve = createResolve(document);
  const groups = groupByTag(document, resolve);
  const fields = new Fields(resolve);
  const { title: api } = document.info;
  const render = (place: Omit<Place, "groups">, title: string, body: Markup) =>
    html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="${docsStylesheetPath}">
<script src="${docsScriptPath}" defer></script></head>
<body>
<a class="skip" href="#main">Skip to the operations</a>
${renderSideList(document, { ...place, groups })}
<main id="main">${body}</main></body></html>`.text;
  return (name) => {
    if (name === "") {
      const body = renderOverview(document, groups);
      return render({ open: null, entry: null }, `${api} reference`, body);
    }
    for (const open of groups) {
      const entry = open.entries.find(({ operation }) => operation.operationId === name) ?? null;
      if (entry !== null) {
        const title = `${entry.operation.summary} – ${api}`;
        return render({ open, entry }, title, renderOperation(entry, fields));
      }
      if (slugOf(open.tag) === name)
        return render({ open, entry }, `${open.tag} – ${api}`, renderGroup(open));
    }
    return null;
  };
}
