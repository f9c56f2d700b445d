/**
 * Counts the files that a reader opens to follow one event through `src`: from the functions where
 * it starts, every function, class and constant that they use, directly or indirectly.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript-5";
import { projectFolder } from "./source-files.ts";

interface Walk {
  readonly name: string;
  /** Where the event starts, and where it continues after a row or a message: `file#name`. */
  readonly from: readonly string[];
  /** Folders that this case does not enter, although the code could. */
  readonly without: RegExp;
}

const otherKinds = (kind: string) => `src/kinds/of/(?!${kind}/)`;
const frame = "src/(?:app|platform/http|platform/nats)/|src/kinds/(?:index|probers)\\.ts";
const otherChannels = "src/channels/alert-channels/kinds/(?!email)";

/** The events of a usual day. */
export const walks: readonly Walk[] = [
  {
    name: "run of a URL check -> mail",
    from: [
      "src/runs/scheduling/scheduler.ts#Scheduler",
      "src/probe/worker.ts#startProbeWorker",
      "src/kinds/of/url/prober/prober.ts#startUrlProber",
      "src/kinds/of/url/index.ts#url",
      "src/runs/recording/recorder.ts#recordResults",
      "src/response/alerting/decider.ts#decideOnRuns",
      "src/response/alerting/deliverer.ts#createAlertDeliverer",
      "src/channels/alert-channels/kinds/email.ts#emailKind",
      "src/platform/mail.ts#createMailer",
    ],
    without: new RegExp(`^(?:${frame}|${otherKinds("url")}|${otherChannels})`),
  },
  {
    name: "PUT of a check -> row",
    from: ["src/checks/checks/actions.ts#changeCheck"],
    without: new RegExp(`^(?:${frame}|${otherKinds("icmp")}|${otherChannels})`),
  },
  {
    name: "incident -> mail to subscribers",
    from: [
      "src/response/incidents/actions.ts#createIncident",
      "src/sites/subscribers/deliverer.ts#createSubscriberDeliverer",
    ],
    without: new RegExp(`^(?:${frame}|${otherChannels})`),
  },
  {
    name: "ping of a heartbeat -> state",
    from: [
      "src/runs/heartbeats/ping-intake.ts#PingIntake",
      "src/runs/heartbeats/judge.ts#recordPings",
    ],
    without: new RegExp(`^(?:${frame}|${otherKinds("heartbeat")})`),
  },
  {
    name: "question to the agent -> answer",
    from: [
      "src/agent/answer.ts#answer",
      "src/agent/answers/answer-without-model.ts#answerWithoutModel",
    ],
    without: new RegExp(`^(?:${frame}|src/kinds/of/)`),
  },
];

interface SourceNames {
  /** Top-level declarations. */
  readonly declared: ReadonlyMap<string, ts.Node>;
  /** Imported and re-exported names, each with its file and its name there. */
  readonly imported: ReadonlyMap<string, readonly [path: string, name: string]>;
}

const known = new Map<string, SourceNames>();

function readNames(path: string): SourceNames {
  const old = known.get(path);
  if (old !== undefined) return old;
  const text = readFileSync(join(projectFolder, path), "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const declared = new Map<string, ts.Node>();
  const imported = new Map<string, readonly [string, string]>();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) {
      for (const [local, name] of listSpecifiers(statement)) {
        const target = (statement.moduleSpecifier as ts.StringLiteral | undefined)?.text ?? "";
        if (target.startsWith("."))
          imported.set(local, [
            relative(projectFolder, resolve(projectFolder, dirname(path), target)),
            name,
          ]);
      }
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      if (statement.name !== undefined) declared.set(statement.name.text, statement);
    } else if (ts.isVariableStatement(statement)) {
      for (const one of statement.declarationList.declarations)
        for (const name of listBound(one.name)) declared.set(name, one);
    }
  }
  const names = { declared, imported };
  known.set(path, names);
  return names;
}

/** Lists the value names of an import or a re-export: the local name, and the name in its file. */
function* listSpecifiers(
  statement: ts.ImportDeclaration | ts.ExportDeclaration,
): Generator<readonly [string, string]> {
  const clause = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : statement.exportClause;
  const isType = ts.isImportDeclaration(statement)
    ? statement.importClause?.isTypeOnly === true
    : statement.isTypeOnly;
  if (isType || clause === undefined) return;
  if (!ts.isNamedImports(clause) && !ts.isNamedExports(clause)) return;
  for (const one of clause.elements)
    if (!one.isTypeOnly) yield [one.name.text, (one.propertyName ?? one.name).text];
}

function listBound(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((one) => (ts.isBindingElement(one) ? listBound(one.name) : []));
}

/** Lists the files of a walk, in the order in which a reader reaches them. */
export function listFilesOfWalk({ from, without }: Walk): string[] {
  const files = new Set<string>();
  const seen = new Set<string>();
  const pending = [...from].reverse();
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    const [path = "", name = ""] = place.split("#");
    const isEntry = from.includes(place);
    if (!path.startsWith("src/") || !path.endsWith(".ts") || (!isEntry && without.test(path)))
      continue;
    const names = readNames(path);
    const node = names.declared.get(name);
    const passedOn = names.imported.get(name);
    if (node === undefined) {
      if (passedOn !== undefined) pending.push(passedOn.join("#"));
      else if (isEntry) throw new Error(`${place} does not exist: correct the walk`);
      continue;
    }
    files.add(path);
    const used: string[] = [];
    const visit = (child: ts.Node): void => {
      if (ts.isTypeNode(child)) return;
      if (ts.isIdentifier(child)) {
        const target = names.imported.get(child.text);
        if (target !== undefined) used.push(target.join("#"));
        else if (names.declared.has(child.text)) used.push(`${path}#${child.text}`);
      }
      ts.forEachChild(child, visit);
    };
    visit(node);
    pending.push(...used.reverse());
  }
  return [...files];
}
