/** The draft of an incident that the agent writes, and the facts behind it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../../test/support/components/part.tsx";
import { Notices } from "../../parts/notices.tsx";
import { AgentDraft } from "./agent-draft.tsx";

const draft = {
  title: "Shop is down",
  description: "We investigate.",
  services: [
    {
      id: "s-1",
      name: "Shop <i>",
      status: "failing",
      since: new Date(Date.now() - 14 * 60_000).toISOString(),
      checkIds: Array.from({ length: 7 }, (_, index) => `c-${index + 1}`),
    },
    { id: "s-2", name: "Mail", status: "passing", since: null, checkIds: ["c-9"] },
    { id: "s-3", name: "Office", status: null, since: null, checkIds: [] },
  ],
};

interface DraftOptions extends Pick<PartOptions, "respond"> {
  readonly serviceIds?: readonly string[];
  readonly incidentId?: string | null;
}

function renderDraft({ serviceIds = ["s-1", "s-2"], incidentId = null, respond }: DraftOptions) {
  const drafts: unknown[] = [];
  const part = renderPart(
    <>
      <AgentDraft
        serviceIds={serviceIds}
        incidentId={incidentId}
        onDraft={(made) => drafts.push(made)}
      />
      <Notices />
    </>,
    { respond: respond ?? (() => Response.json(draft)) },
  );
  return { part, drafts, button: part.getByRole("button", { name: "Draft from check results" }) };
}

test("without a service there is nothing to write about", async () => {
  const { button } = renderDraft({ serviceIds: [] });
  assert.equal(await button.isDisabled(), true);
});

test("the draft of a new incident is about its services, and fills the form", async () => {
  const { part, drafts, button } = renderDraft({});
  await button.click();
  await part.getByText("Review it before you post it.").waitFor();
  const [request] = part.sent;
  assert.equal(request?.path, "/v1/status-pages/incidents/draft");
  assert.deepEqual(request?.body, { services: [{ id: "s-1" }, { id: "s-2" }] });
  assert.deepEqual(drafts, [draft]);
});

test("the draft of an update is about its incident, whatever services are selected", async () => {
  const { part, button } = renderDraft({ serviceIds: [], incidentId: "i-1" });
  await button.click();
  await part.getByText("Review it before you post it.").waitFor();
  assert.deepEqual(part.sent[0]?.body, { incidentId: "i-1" });
});

test("each service shows its state, since when, and at most five of its checks", async () => {
  const { part, button } = renderDraft({});
  await button.click();
  await part.getByText("Review it before you post it.").waitFor();
  const [shop = "", mail = "", office = ""] = part.getByRole("listitem").allTextContents();
  assert.match(shop, /Failing Shop <i> for 14 min check 1.*check 5$/);
  assert.doesNotMatch(shop, /check 6/);
  assert.match(mail, /Passing Mail\s+the check$/, "one check needs no number");
  assert.match(office, /^Office\s+Follows no check$/);
  const links = part.getByRole("link").elements();
  assert.deepEqual(
    links.map((link) => link.getAttribute("href")),
    [...["1", "2", "3", "4", "5"], "9"].map((id) => `/checks/c-${id}`),
  );
});

test("a failed draft changes no field and shows the reason", async () => {
  const { part, drafts, button } = renderDraft({ respond: () => rejectRequest(503, "Try later.") });
  await button.click();
  await part.getByText("Try later.").waitFor();
  await part.getByRole("button", { name: "Dismiss" }).click();
  assert.deepEqual(drafts, []);
  assert.equal(part.getByText("Review it before you post it.").count(), 0);
});
