import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openScreen,
  type ServedApp,
  startTestApp,
} from "../../../test/support/components/screen.tsx";

let app: ServedApp;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

test("the editor describes what the rules of a page do, and names hidden components", async () => {
  const post = async (path: string, body: object) => {
    const answer = await app.call("POST", path, { body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const { id } = await post("/v3/status-pages", { name: "Acme", url: "acme-rules" });
  const path = `/v3/status-pages/${id}`;
  const api = await post(`${path}/components`, { name: "API", displayOrder: 0 });
  await post(`${path}/components`, { name: "Secret", displayOrder: 1, hidden: true });
  await post(`${path}/automation-rules`, {
    ...{ name: "API outage", firstUpdate: "Investigating", lastUpdate: "Resolved" },
    ...{ tags: ["api", "web"], enabled: false },
    components: [{ componentId: api.id, targetImpact: "PARTIAL_OUTAGE" }],
  });
  const screen = await openScreen(app, `/status-pages/${id}/editor`);
  const section = screen.getByRole("region", { name: "Automation" });
  await section.getByText(/When a check tagged “api” or “web” fails/).waitFor();
  await section.getByText(/Disabled: it opens no incidents/).waitFor();
  await section.getByText("API: partial outage").waitFor();
  await screen.getByText("Hidden from visitors: Secret.").waitFor();
});
