/** Reads the files of `deploy/` and the Dockerfile, parsed like the programs that use them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll, YAML11_SCHEMA } from "js-yaml";
import { projectFolder } from "./source-files.ts";

export const readDeployFile = (path: string) => readFileSync(join(projectFolder, path), "utf8");

export interface Health {
  readonly test?: readonly string[];
}

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: Health;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly restart?: string;
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

interface HttpProbe {
  readonly httpGet?: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean;
    readonly readOnlyRootFilesystem: boolean;
    readonly capabilities: { readonly drop: readonly string[]; readonly add?: readonly string[] };
  };
  readonly startupProbe?: HttpProbe;
  readonly livenessProbe?: HttpProbe;
  readonly readinessProbe?: HttpProbe;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
  readonly securityContext: {
    readonly runAsNonRoot: boolean;
    readonly runAsUser: number;
    readonly seccompProfile: { readonly type: string };
    readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
  };
}

type Labels = Readonly<Record<string, string>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly resources?: readonly string[];
  readonly spec?: {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly minAvailable?: number;
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
}

/** Reads the YAML documents of a file, with anchors and merge keys like Compose and kubectl. */
export function readYaml<Document>(path: string): Document[] {
  return loadAll(readDeployFile(path), { schema: YAML11_SCHEMA }) as Document[];
}

export const listDeployFiles = (pattern: string) =>
  globSync(pattern, { cwd: projectFolder }).sort();

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Returns the instructions of each build stage of the Dockerfile. The last stage is the image. */
export function readDockerStages(): Instruction[][] {
  const lines = readDeployFile("Dockerfile")
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = "", text = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === "") throw new Error(`Not an instruction: ${line}`);
    if (name === "FROM") stages.push([]);
    stages.at(-1)?.push({ name, text });
  }
  return stages;
}

/** Returns the command of the image's health check. */
export function readHealthCheck(): readonly string[] {
  const text =
    readDockerStages()
      .at(-1)
      ?.find(({ name }) => name === "HEALTHCHECK")?.text ?? "";
  return JSON.parse(text.slice(text.indexOf("CMD ") + 4));
}

/** Returns the `Name=value` lines of a systemd unit in order. A name can occur several times. */
export function readUnit(path: string): { readonly name: string; readonly value: string }[] {
  return readDeployFile(path)
    .split("\n")
    .flatMap((line) => {
      const [, name, value = ""] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [{ name, value }];
    });
}
