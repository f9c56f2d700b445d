/** Starts the product for component tests. */
import type { Role } from "../../../web/api/session.ts";
import type { ServedApp } from "../apps/served-app.ts";
import { loadModule } from "../load-module.ts";

export type { ServedApp } from "../apps/served-app.ts";

interface Apps {
  readonly startTestApp: (
    environment?: Readonly<Record<string, string>>,
    options?: { readonly clock?: object },
  ) => Promise<ServedApp>;
}

interface SharedApps {
  readonly shareTestApp: (environment?: Readonly<Record<string, string>>) => Promise<ServedApp>;
}

interface Person {
  readonly userId: string;
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

interface SecondFactors {
  readonly readCodeAt: (secret: string, nowMs: number) => string;
}

interface ScriptedApps {
  readonly startScriptedApp: Apps["startTestApp"] extends (...args: infer Args) => unknown
    ? (...args: Args) => Promise<{ readonly app: ServedApp }>
    : never;
}

interface RunFiles {
  /** Stores a screenshot `cart.png` and a trace for a run. */
  readonly saveFiles: (
    app: ServedApp,
    checkId: string,
    assets: undefined,
    runId: string,
  ) => Promise<string>;
  readonly addLosses: (app: ServedApp, checkId: string, runId: string) => Promise<void>;
}

export const { systemClock } = await loadModule<{ systemClock: object }>("src/platform/clock.ts");
export const { startTestApp } = await loadModule<Apps>("test/support/apps/app.ts");
export const { shareTestApp } = await loadModule<SharedApps>("test/support/apps/shared-app.ts");
export const { addMember, signIn, signInAs } = await loadModule<Cast>("test/support/apps/cast.ts");
export const loadHistories = () => loadModule<Histories>("test/support/modules/check-history.ts");
export const loadSecondFactors = () =>
  loadModule<SecondFactors>("test/support/modules/second-factors.ts");
export const loadScriptedApps = () =>
  loadModule<ScriptedApps>("test/support/scripts/scripted-app.ts");
export const loadRunFiles = () => loadModule<RunFiles>("test/support/modules/run-files.ts");
