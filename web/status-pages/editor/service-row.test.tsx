/** A service of a status page: its row, and the dialog that edits and deletes it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
  type SentRequest,
} from "../../../test/support/components/part.tsx";
import { checkNameQuery, foundChecksQuery, tagsQuery } from "../../parts/queries.ts";
import { type Service, type Services, serviceQuery } from "./queries.ts";
import { ServiceRow } from "./service-row.tsx";

const path = "/v1/status-pages/services/s-1";

const createService = (more: object = {}) =>
  ({
    id: "s-1",
    name: "Shop",
    follows: { checkIds: ["c-1"], tags: ["web"] },
    ...more,
  }) as unknown as Service;

const respondWith = (service: Service, etag = '"2"') =>
  Response.json(service, { headers: { etag } });

interface RowOptions extends Pick<PartOptions, "respond"> {
  readonly service?: Service | undefined;
}

function renderRow({ respond, ...rest }: RowOptions = {}) {
  const service = "service" in rest ? rest.service : createService();
  const services = {
    list: service === undefined ? [] : [service],
    isLoaded: true,
    version: 1,
    find: () => service,
    nameOf: () => service?.name ?? "Deleted service",
  } satisfies Services;
  const calls: string[] = [];
  const part = renderPart(
    <ServiceRow
      serviceId="s-1"
      services={services}
      handleId="handle-1"
      isTarget={false}
      onStep={(step) => calls.push(`step ${step}`)}
      onGrab={() => calls.push("grab")}
      onRemove={() => calls.push("remove")}
      onDeleted={() => calls.push("deleted")}
    />,
    {
      ...(respond && { respond }),
      data: [
        [serviceQuery("s-1").queryKey, { data: service, etag: '"1"' }],
        [checkNameQuery("c-1").queryKey, "ping shop"],
        [checkNameQuery("c-2").queryKey, "ping mail"],
        [foundChecksQuery("").queryKey, { entries: [], total: 0 }],
        [
          tagsQuery.queryKey,
          [
            { value: "web", count: 2 },
            { value: "mail", count: 1 },
          ],
        ],
      ],
    },
  );
  const button = (name: string) => part.getByRole("button", { name, exact: true });
  return { part, button, calls };
}

/** The body of the only request. */
function readOnlyBody(sent: readonly SentRequest[]) {
  const [request, ...others] = sent;
  assert.deepEqual(others, []);
  return request?.body as { readonly name: string; readonly follows: Service["follows"] };
}

test("a row shows what its service follows, and that nothing is followed", () => {
  const { part } = renderRow();
  assert.match(part.readText(), /Shop.*Follows.*1 check.*web/);
  part.rerender(<p />);
  const other = renderRow({ service: createService({ follows: { checkIds: [], tags: [] } }) });
  assert.match(other.part.readText(), /Follows no check: shown as Operational/);
});

test("a deleted service can be removed from its card, but not edited", async () => {
  const { part, button, calls } = renderRow({ service: undefined });
  assert.match(part.readText(), /Deleted service/);
  assert.equal(button("Edit Deleted service").count(), 0);
  await button("Remove Deleted service from the card").click();
  assert.deepEqual(calls, ["remove"]);
});

test("a service is saved with trimmed values and the version that was opened", async () => {
  const stored = createService({ name: "Shop and cart" });
  const { part, button } = renderRow({ respond: () => respondWith(stored) });
  await button("Edit Shop").click();
  await part.getByLabel("Service name").fill("  Shop and cart ");
  await button("Stop following ping shop").click();
  await part.getByLabel("Followed tags, separated by commas").fill("web, , mail ,web");
  await button("Save service").click();
  await part.getByRole("dialog").waitFor({ state: "hidden" });
  const [request] = part.sent;
  assert.deepEqual([request?.method, request?.path], ["PUT", path]);
  assert.equal(request?.headers.get("if-match"), '"1"');
  assert.deepEqual(readOnlyBody(part.sent), {
    name: "Shop and cart",
    follows: { checkIds: [], tags: ["web", "mail"] },
  });
});

test("each rejected field shows its error, and the input stays", async () => {
  const { part, button, calls } = renderRow({
    respond: () =>
      rejectRequest(400, "It is invalid.", {
        name: "is already taken.",
        "follows.tags": "has a tag that is too long.",
      }),
  });
  await button("Edit Shop").click();
  await part.getByLabel("Service name").fill("Mail");
  await button("Save service").click();
  await part.getByText("is already taken.").waitFor();
  await part.getByText("has a tag that is too long.").waitFor();
  assert.equal(await part.getByLabel("Service name").getAttribute("aria-invalid"), "true");
  assert.equal(await part.getByLabel("Service name").inputValue(), "Mail");
  assert.equal(part.getByText("The service was not saved").count(), 0);
  assert.deepEqual(calls, []);
});

test("an error of no field is shown beside the form", async () => {
  const { part, button } = renderRow({ respond: () => rejectRequest(500, "It broke.") });
  await button("Edit Shop").click();
  await part.getByLabel("Service name").fill("Mail");
  await button("Save service").click();
  await part.getByRole("alert").getByText("It broke.").waitFor();
  await part.getByText("The service was not saved").waitFor();
});

test("on a conflict, checks are named and the selected values are saved over the new version", async () => {
  const theirs = createService({ follows: { checkIds: ["c-2"], tags: ["web"] } });
  const answers: Record<string, (request: SentRequest) => Response> = {
    GET: () => respondWith(theirs),
    PUT: ({ headers }) =>
      headers.get("if-match") === '"2"' ? respondWith(theirs) : rejectRequest(412, "It changed."),
  };
  const respond = (request: SentRequest) =>
    answers[request.method]?.(request) ?? rejectRequest(404, "?");
  const { part, button } = renderRow({ respond });
  await button("Edit Shop").click();
  await part.getByLabel("Service name").fill("Store");
  await button("Stop following ping shop").click();
  await button("Save service").click();
  const conflict = part.getByRole("alert", { name: "Another user changed this service" });
  await conflict.getByText("Followed checks").waitFor();
  assert.match(await conflict.textContent(), /ping mail/);
  await button("Keep all mine").click();
  await button("Save service").click();
  await part.getByRole("dialog").waitFor({ state: "hidden" });
  const last = part.sent.at(-1);
  assert.equal(last?.headers.get("if-match"), '"2"');
  assert.deepEqual(last?.body, { name: "Store", follows: { checkIds: [], tags: ["web"] } });
});

test("a service is deleted after a confirmation that names it", async () => {
  const respond = () => new Response(null, { status: 204 });
  const { part, button, calls } = renderRow({ respond });
  await button("Edit Shop").click();
  await button("Delete service").click();
  const dialog = part.getByRole("dialog", { name: "Delete the service “Shop”?" });
  await dialog.getByText("It is removed from all status pages and incidents").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(part.sent, []);
  await button("Delete service").click();
  await dialog.getByRole("button", { name: "Delete service" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(
    part.sent.map(({ method, path: at }) => [method, at]),
    [["DELETE", path]],
  );
  assert.deepEqual(calls, ["deleted"]);
});

test("a failed deletion keeps the service on its card", async () => {
  const { part, button, calls } = renderRow({ respond: () => rejectRequest(409, "In use.") });
  await button("Edit Shop").click();
  await button("Delete service").click();
  const dialog = part.getByRole("dialog", { name: "Delete the service “Shop”?" });
  const confirm = dialog.getByRole("button", { name: "Delete service" });
  await confirm.click();
  await confirm.and(part.locator("button:not([disabled])")).waitFor();
  assert.deepEqual(calls, []);
  assert.equal(part.sent.length, 1);
});
