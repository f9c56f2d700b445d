/** Starts the product for component tests. */
import type { Role } from "../../../web/api/session.ts";
import type { ServedApp } from "../apps/served-app.ts";

export type { ServedApp } from "../apps/served-app.ts";

interface Apps {
  readonly startTestApp: (
    environment?: Readonly<Record<string, string>>,
    options?: { readonly clock?: object },
  ) => Promise<ServedApp>;
}

interface Person {
  readonly email: string;
  readonly password: string;
}

interface Cast {
  readonly addMember: (
    app: ServedApp,
    email: string,
    options: { readonly role: Role },
  ) => Promise<Person>;
  readonly signIn: (app: ServedApp, email: string, password: string) => Promise<string>;
  readonly signInAs: (app: ServedApp, role: Role) => Promise<string>;
}

interface Histories {
  readonly addCheckWithPast: (app: ServedApp) => Promise<{
    readonly checkId: string;
    readonly fromMs: number;
    readonly toMs: number;
  }>;
  readonly addAlertWithMessages: (app: ServedApp, checkId: string, runId: string) => Promise<void>;
}

/** The type check does not follow a computed path, and so leaves the server to its own check. */
async function load<Module>(path: string): Promise<Module> {
  return (await import(path)) as Module;
}

export const { systemClock } = await load<{ systemClock: object }>(
  "../../../src/platform/clock.ts",
);
export const { startTestApp } = await load<Apps>("../apps/app.ts");
export const { addMember, signIn, signInAs } = await load<Cast>("../apps/cast.ts");
export const loadHistories = () => load<Histories>("../modules/check-history.ts");
