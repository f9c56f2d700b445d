import { html, type Markup } from "./html.ts";

/** The parts of an OpenAPI document that the reference shows. */
export interface ApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

export interface ApiSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ApiSchema[];
  readonly items?: ApiSchema;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly additionalProperties?: ApiSchema | boolean;
}

interface ApiBody {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: ApiSchema }>>;
}

export interface ApiOperation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: ApiSchema;
  }[];
  readonly requestBody?: ApiBody;
  readonly responses?: Readonly<Record<string, ApiBody>>;
  readonly security?: readonly unknown[];
}

export function describeType(schema: ApiSchema): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(describeType).join(" or ");
  if (schema.type === "array") return `array of ${describeType(schema.items ?? {})}`;
  const type = [schema.type ?? "any"].flat().join(" or ");
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

export function describeLimits(schema: ApiSchema): string {
  const limits = [
    schema.default === undefined ? null : `default ${JSON.stringify(schema.default)}`,
    schema.minimum === undefined ? null : `at least ${schema.minimum}`,
    schema.maximum === undefined ? null : `at most ${schema.maximum}`,
    schema.minLength === undefined ? null : `${schema.minLength} or more characters`,
    schema.maxLength === undefined ? null : `up to ${schema.maxLength} characters`,
    schema.minItems === undefined ? null : `${schema.minItems} or more items`,
    schema.maxItems === undefined ? null : `up to ${schema.maxItems} items`,
  ];
  return [schema.description, ...limits].filter((part) => typeof part === "string").join("; ");
}

function renderFields(schema: ApiSchema, depth = 0): Markup | null {
  const inner = schema.type === "array" ? schema.items : schema;
  const shape = inner?.anyOf?.find((branch) => branch.properties !== undefined) ?? inner;
  const fields = Object.entries(shape?.properties ?? {});
  if (fields.length === 0 || depth > 3) return null;
  const rows = fields.map(([name, field]) => {
    const isRequired = shape?.required?.includes(name) ?? false;
    return html`<tr>
      <td><code>${name}</code>${isRequired && html` <b title="required">*</b>`}</td>
      <td>${describeType(field)}</td>
      <td>${describeLimits(field)}${renderFields(field, depth + 1)}</td>
    </tr>`;
  });
  return html`<table><thead><tr><th>field</th><th>type</th><th>notes</th></tr></thead>
    <tbody>${rows}</tbody></table>`;
}

function renderBody(title: string, body: ApiBody): Markup {
  const schema = Object.values(body.content ?? {})[0]?.schema;
  return html`<h4>${title}</h4>
    ${schema !== undefined && html`<p class="type">${describeType(schema)}</p>${renderFields(schema)}`}`;
}

function renderParameters(operation: ApiOperation): Markup | null {
  const { parameters = [] } = operation;
  if (parameters.length === 0) return null;
  const rows = parameters.map(
    ({ name, in: place, required, schema = {} }) => html`<tr>
      <td><code>${name}</code>${required === true && html` <b title="required">*</b>`}</td>
      <td>${place}</td><td>${describeType(schema)}</td><td>${describeLimits(schema)}</td></tr>`,
  );
  return html`<h4>Parameters</h4><table>
    <thead><tr><th>name</th><th>in</th><th>type</th><th>notes</th></tr></thead>
    <tbody>${rows}</tbody></table>`;
}

function renderCurl(method: string, path: string, operation: ApiOperation): Markup {
  const needsKey = operation.security?.length !== 0;
  const parts = [
    `curl -X ${method.toUpperCase()} "$VEDETTE${path}"`,
    needsKey ? `-H "Authorization: Bearer $VEDETTE_KEY"` : null,
    operation.requestBody === undefined
      ? null
      : `-H "Content-Type: application/json" -d @body.json`,
  ];
  return html`<pre><code>${parts.filter((part) => part !== null).join(" \\\n  ")}</code></pre>`;
}

function isSuccess(status: string): boolean {
  return status.startsWith("2");
}

function operationId(method: string, path: string): string {
  return `${method}-${path}`.replaceAll(/[^a-z0-9]+/gi, "-").replace(/-$/, "");
}

function renderOperation(method: string, path: string, operation: ApiOperation): Markup {
  const responses = Object.entries(operation.responses ?? {});
  const successes = responses.filter(([status]) => isSuccess(status));
  const refusals = responses.filter(([status]) => !isSuccess(status));
  return html`<section class="operation" id="${operationId(method, path)}">
    <h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></h3>
    <p>${operation.summary}</p>
    <p>${operation.description}</p>
    ${renderCurl(method, path, operation)}
    ${renderParameters(operation)}
    ${operation.requestBody && renderBody("Body", operation.requestBody)}
    ${successes.map(([status, body]) => renderBody(`Answer ${status}`, body))}
    ${refusals.length > 0 && html`<p class="refusals">Refusals: ${refusals.map(([status, { description }], index) => html`${index > 0 && ", "}<a href="#errors">${status}</a> ${description}`)}</p>`}
  </section>`;
}

interface Group {
  readonly tag: string;
  readonly operations: { method: string; path: string; operation: ApiOperation }[];
}

function groupByTag(document: ApiDocument): Group[] {
  const groups = new Map<string, Group>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? "Other";
      const group = groups.get(tag) ?? { tag, operations: [] };
      group.operations.push({ method, path, operation });
      groups.set(tag, group);
    }
  }
  return [...groups.values()];
}

/** The whole reference as one page: no script, nothing fetched from elsewhere. */
export function renderApiReference(document: ApiDocument, stylesheet: string): Markup {
  const groups = groupByTag(document);
  const { title, version, description } = document.info;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} reference</title><link rel="stylesheet" href="${stylesheet}"></head>
<body>
<a class="skip" href="#main">Skip to the operations</a>
<nav aria-label="Operations"><p class="brand">${title} <small>${version}</small></p>
${groups.map(
  ({ tag, operations }) =>
    html`<h2>${tag}</h2><ul>${operations.map(
      ({ method, path, operation }) =>
        html`<li><a href="#${operationId(method, path)}">${operation.summary}</a></li>`,
    )}</ul>`,
)}</nav>
<main id="main">
<h1>${title}</h1><p>${description}</p>
<p>The same as a document for machines: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<section id="errors"><h2>Errors</h2><p>Every refusal has the body
<code>{"statusCode", "error", "message"}</code>. 401 and 429 add <code>attributes</code>, and 400 adds
<code>validation</code> with the source and all offending fields. 429 and 503 carry
<code>Retry-After</code>. The header <code>x-request-id</code> of an answer names it in the
log.</p></section>
${groups.map(
  ({ tag, operations }) =>
    html`<h2>${tag}</h2>${operations.map(({ method, path, operation }) =>
      renderOperation(method, path, operation),
    )}`,
)}
</main></body></html>`;
}
