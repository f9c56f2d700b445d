import type { FastifyReply } from "fastify";
import { type Caller, requireAccess, writeAuditEntry } from "../../access/accounts/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, inTransaction } from "../../platform/database.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { answers } from "../../platform/http/schema.ts";
import { sendJson } from "../../platform/http/send.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { DescribeMachine, ScriptMachine } from "../../sandbox/machine.ts";
import type { RuntimeInstaller } from "../../sandbox/runtimes/installer.ts";
import { type Runtime, runtimes } from "../../sandbox/runtimes/runtime.ts";
import {
  RuntimeDetailSchema,
  RuntimeList,
  RuntimeParams,
  RuntimeSchema,
  toWireMachine,
  toWireRuntime,
} from "./schema.ts";

export interface RuntimesContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly installer: RuntimeInstaller;
  /**
   * Returns what this machine offers to scripts. The function is `null` if this server runs no
   * checks.
   */
  readonly describeMachine: DescribeMachine | null;
}

const tags = ["Runtimes"];

/** Maximum delay until installations by other processes become visible. */
const rereadAfterMs = 500;

/** Caches the serialised runtimes for half a second, because their state is read from files. */
class WrittenRuntimes {
  readonly #installer: RuntimeInstaller;
  readonly #recent = new Map<Runtime, { readonly text: string; readonly atMs: number }>();

  constructor(installer: RuntimeInstaller) {
    this.#installer = installer;
  }

  getRecent(runtime: Runtime): string | null {
    const recent = this.#recent.get(runtime);
    if (recent === undefined || performance.now() - recent.atMs >= rereadAfterMs) return null;
    return recent.text;
  }

  /** Serialises a runtime, and includes the machine if `machine` is given. */
  write(runtime: Runtime, machine?: ScriptMachine | null): string {
    const body = toWireRuntime(this.#installer, runtime);
    const text = JSON.stringify(
      machine === undefined ? body : { ...body, machine: machine && toWireMachine(machine) },
    );
    this.#recent.set(runtime, { text, atMs: performance.now() });
    return text;
  }

  forget(runtime: Runtime): void {
    this.#recent.delete(runtime);
  }
}

function getRuntime(name: string): Runtime {
  const runtime = runtimes.find((one) => one.name === name);
  if (runtime === undefined) throw notFound();
  return runtime;
}

/** Requests an installation, which uses the disk and network of the server. */
async function requestInstallation(
  { db, clock, installer }: RuntimesContext,
  caller: Caller,
  name: string,
): Promise<Runtime> {
  requireAccess(caller, "admin");
  const runtime = getRuntime(name);
  const status = installer.describe(name);
  if (status.state === "installed" || status.state === "installing") return runtime;
  if (!status.canInstall) throw conflict(status.message);
  const note = { action: "runtime.install-requested", targetId: name, changes: { name } };
  await inTransaction(db, (tx) => writeAuditEntry(tx, caller, { ...note, at: clock.now() }));
  installer.start(name);
  return runtime;
}

export function addRuntimeRoutes(server: HttpServer, context: RuntimesContext): void {
  const listed = new WrittenRuntimes(context.installer);
  const detailed = new WrittenRuntimes(context.installer);
  const describeNow = async (runtime: Runtime, reply: FastifyReply) => {
    const machine = (await context.describeMachine?.()) ?? null;
    return sendJson(reply, detailed.write(runtime, machine));
  };
  server.get(
    "/v1/runtimes",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listRuntimes",
        summary: "List the runtimes, newest first",
        description: "Each entry contains its stage and packages.",
        response: answers({ 200: RuntimeList }),
      },
    },
    (_request, reply) => {
      const texts = runtimes.map((runtime) => listed.getRecent(runtime) ?? listed.write(runtime));
      sendJson(reply, `[${texts.join()}]`);
    },
  );
  server.get(
    "/v1/runtimes/:id",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getRuntime",
        summary: "Get one runtime",
        description:
          "The id is the name, such as `2025.04`. The first request tries a sandbox, which takes a " +
          "second.",
        params: RuntimeParams,
        response: answers({ 200: RuntimeDetailSchema }, "notFound"),
      },
    },
    ({ params }, reply) => {
      const runtime = getRuntime(params.id);
      const recent = detailed.getRecent(runtime);
      if (recent === null) return describeNow(runtime, reply);
      sendJson(reply, recent);
    },
  );
  server.post(
    "/v1/runtimes/:id/install",
    {
      config: { access: "admin" },
      schema: {
        tags,
        operationId: "installRuntime",
        summary: "Install a runtime on this server",
        description:
          "Returns immediately; get the runtime to see the progress. An installed runtime is left " +
          "unchanged. The first run of a check that needs a runtime starts its installation too.",
        params: RuntimeParams,
        response: answers({ 202: RuntimeSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params }, reply) => {
      const runtime = await requestInstallation(context, caller, params.id);
      listed.forget(runtime);
      detailed.forget(runtime);
      return reply.code(202).send(toWireRuntime(context.installer, runtime));
    },
  );
}
