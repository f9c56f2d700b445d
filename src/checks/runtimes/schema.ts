import { Type } from "typebox";
import { DateTime, Described, OneOf, OrNull } from "../../platform/http/schema.ts";
import { isolations } from "../../sandbox/isolation/sandbox.ts";
import type { ScriptMachine } from "../../sandbox/machine.ts";
import type { RuntimeInstaller } from "../../sandbox/runtimes/installer.ts";
import { findPackages, listLeftOut } from "../../sandbox/runtimes/packages.ts";
import { type Runtime, runtimeStages } from "../../sandbox/runtimes/runtime.ts";
import { installPhases } from "../../sandbox/runtimes/workspace.ts";

export const RuntimeParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: "The name, such as 2025.04." }),
});

const Count = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, examples: [example] });

const InstallProgressSchema = Type.Object(
  {
    phase: Described(
      OneOf(installPhases),
      "`waiting` for another installation, then `packages` and `finishing`.",
    ),
    packagesDone: Count("Number of packages that are in place.", 120),
    packagesTotal: Count("Number of packages of the runtime; 0 while it waits.", 401),
  },
  { title: "RuntimeInstallProgress" },
);

const InstallationSchema = Type.Object(
  {
    state: Described(
      OneOf(["installed", "installing", "missing", "failed"]),
      "Whether scripts can use the runtime on this server.",
    ),
    canInstall: Type.Boolean({
      description: "Whether an installation can be started: neither complete nor in progress.",
    }),
    message: Described(
      OrNull(Type.String()),
      "Why the runtime cannot be used, and what to do; `null` unless missing or failed.",
      null,
    ),
    progress: Described(
      OrNull(InstallProgressSchema),
      "Progress of the installation; `null` unless installing.",
      null,
    ),
    nodeJsVersion: Described(
      OrNull(Type.String()),
      "The Node.js version that scripts run on: the newest patch that exists for every platform.",
      "v22.23.3",
    ),
    packageCount: Described(OrNull(Type.Integer()), "Number of installed packages.", 401),
    sizeBytes: Described(OrNull(Type.Number()), "Size on disk in bytes.", 560_000_000),
    installedAt: Described(OrNull(DateTime), "Time the installation was completed."),
    leftOut: Type.Object(
      {},
      {
        description: "Packages of `dependencies` that the npm registry does not have.",
        examples: [{ "nice-grpc-server-health": "2.0.14" }],
        additionalProperties: Type.String(),
      },
    ),
  },
  { title: "RuntimeInstallation" },
);

export const RuntimeSchema = Type.Object(
  {
    name: Type.String({
      description: "Name of the runtime, used by checks.",
      examples: ["2025.04"],
    }),
    multiStepSupport: Type.Boolean({
      description: "Whether multi-step checks are supported.",
    }),
    nodeJsVersion: Type.String({ description: "The Node.js version.", examples: ["22"] }),
    dependencies: Type.Object(
      {},
      {
        description: "Packages and their versions.",
        examples: [{ axios: "1.7.7" }],
        additionalProperties: Type.String(),
      },
    ),
    stage: Described(OneOf(runtimeStages), "Stage of the life cycle."),
    runtimeEndOfLife: Type.Optional(Type.String({ description: "month/day/year" })),
    description: Type.String({
      description: "Changes since the previous runtime.",
      examples: ["Node.js 22."],
    }),
    installation: Described(
      InstallationSchema,
      "The runtime on the server that answers. Probes install their own.",
    ),
  },
  { title: "Runtime" },
);

const MachineSchema = Type.Object(
  {
    isolation: Described(
      OrNull(OneOf(isolations)),
      "The strongest isolation of scripts that works on the server; `null` if none does.",
      "A2",
    ),
    isolationMessage: Described(
      OrNull(Type.String()),
      "Why scripts cannot run and what to do, or why the isolation is a weaker one.",
      null,
    ),
    browser: Described(
      OrNull(
        Type.Object(
          {
            path: Type.String({ description: "Where it is." }),
            version: Described(OrNull(Type.String()), "Its version; `null` if unknown."),
          },
          { title: "ScriptBrowser" },
        ),
      ),
      "The Chromium of browser checks; `null` if there is none.",
      { path: "/usr/lib/chromium/chromium", version: "150.0.7871.100" },
    ),
    browserMessage: Described(
      OrNull(Type.String()),
      "Why there is no browser, and what to do.",
      null,
    ),
  },
  { title: "ScriptMachine" },
);

/**
 * Schema of a runtime, with the script isolation and the browser that the responding server has.
 */
export const RuntimeDetailSchema = Type.Object(
  {
    ...RuntimeSchema.properties,
    machine: Described(
      OrNull(MachineSchema),
      "What the server that answers offers to scripts of any runtime; `null` if it runs no checks.",
    ),
  },
  { title: "RuntimeDetail" },
);

export const RuntimeList = Type.Array(RuntimeSchema);

function toWireInstallation(installer: RuntimeInstaller, name: string) {
  const status = installer.describe(name);
  const packages = findPackages(name);
  const installation = status.state === "installed" ? status.installation : null;
  const planned = packages === null ? null : `v${packages.nodeVersion}`;
  return {
    state: status.state,
    canInstall: "canInstall" in status && status.canInstall,
    message: "message" in status ? status.message : null,
    progress: status.state === "installing" ? status.progress : null,
    nodeJsVersion: installation?.nodeVersion ?? planned,
    packageCount: installation?.packageCount ?? null,
    sizeBytes: installation?.sizeBytes ?? null,
    installedAt: installation?.installedAt ?? null,
    leftOut: listLeftOut(name),
  };
}

export function toWireMachine({ isolationAdvice, isolationMessage, ...machine }: ScriptMachine) {
  const message = [isolationMessage, isolationAdvice].filter((one) => one !== null).join(" ");
  return { ...machine, isolationMessage: message || null };
}

export function toWireRuntime(installer: RuntimeInstaller, runtime: Runtime) {
  return { ...runtime, installation: toWireInstallation(installer, runtime.name) };
}
