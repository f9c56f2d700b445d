/** Every editor warns about an object that the code of a project describes. */
import { after, before, test } from "node:test";
import { openScreen, type ServedApp, shareTestApp } from "../../test/support/components/screen.tsx";
import { loadModule } from "../../test/support/load-module.ts";

interface Projects {
  readonly createResources: (name: string) => readonly object[];
  readonly toBody: (logicalId: string, resources: readonly object[]) => object;
}

const { createResources, toBody } = await loadModule<Projects>("test/support/modules/projects.ts");

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

interface Entry {
  readonly logicalId: string;
  readonly physicalId: string | number;
}

test("editors of owned objects name the project", async () => {
  const body = toBody("shown", createResources("shown"));
  const started = await app.call("POST", "/v1/projects/deploy", { body });
  const path = `/v1/projects/shown/deployments/${started.body.id}/completion`;
  const { diff } = (await app.call("GET", path)).body.result as { diff: readonly Entry[] };
  const idOf = (logicalId: string) => diff.find((one) => one.logicalId === logicalId)?.physicalId;
  const screens = [
    `/checks/${idOf("ping")}/edit`,
    `/groups/${idOf("group")}`,
    `/alerts/channels/${idOf("mail")}`,
    `/alerts/maintenance/${idOf("window")}`,
    `/status-pages/${idOf("page")}`,
    `/edit-dashboard/${idOf("dash")}`,
  ];
  for (const screen of screens) {
    const opened = await openScreen(app, screen);
    await opened
      .getByText("Owned by project Project shown: your change will show as drift")
      .waitFor();
  }
});

test("an object that no project owns has no warning", async () => {
  const { body } = await app.call("POST", "/v1/check-groups", { body: { name: "Free" } });
  const screen = await openScreen(app, `/groups/${body.id}`);
  await screen.getByLabel("Name").waitFor();
  await screen.getByText("Owned by project").waitFor({ state: "hidden" });
});
