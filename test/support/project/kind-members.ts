import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript-5";
import { projectFolder } from "./source-files.ts";

/** The four interfaces that a check type implements. */
const interfaces = ["KindDefinition", "KindStorage", "KindPresentation", "OwnAgent"];
const files = ["definition.ts", "storage.ts", "presentation.ts", "agent.ts"];

type Members = readonly ts.TypeElement[];

/**
 * Lists the members that a new check type must define, including the members of required objects.
 */
export function listRequiredMembers(): string[] {
  const declared = new Map<string, Members>();
  for (const file of files) {
    const path = join(projectFolder, "src", "kinds", "kit", file);
    const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
    for (const statement of source.statements) {
      if (ts.isInterfaceDeclaration(statement)) {
        declared.set(statement.name.text, statement.members);
      }
    }
  }
  // `OwnAgent` adds nothing to the list, because all of its members are optional.
  return interfaces.flatMap((name) => listRequired(declared.get(name) ?? [], declared, ""));
}

function listRequired(
  members: Members,
  declared: ReadonlyMap<string, Members>,
  path: string,
): string[] {
  return members.flatMap((member) => {
    if (member.questionToken !== undefined || member.name === undefined) return [];
    const name = `${path}${(member.name as ts.Identifier).text}`;
    const type = ts.isPropertySignature(member) ? member.type : undefined;
    return [name, ...listRequired(membersOf(type, declared), declared, `${name}.`)];
  });
}

function membersOf(type: ts.TypeNode | undefined, declared: ReadonlyMap<string, Members>): Members {
  if (type === undefined) return [];
  if (ts.isTypeLiteralNode(type)) return type.members;
  const isNamed = ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName);
  return isNamed ? (declared.get((type.typeName as ts.Identifier).text) ?? []) : [];
}
