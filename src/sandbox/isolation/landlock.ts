import { lstatSync, realpathSync } from "node:fs";
import {
  callKernel,
  closeDescriptor,
  openPath,
  pointerTo,
  setProcessOption,
} from "./system-calls.ts";

/**
 * Rules for Landlock, a kernel feature with which a process without privileges restricts its own
 * access.
 */
export interface LandlockRules {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** The only TCP port to which the process can connect. */
  readonly port: number;
}

const fileRights = { execute: 1, writeFile: 2, readFile: 4, readFolder: 8 } as const;
const truncate = 1 << 14;
const controlDevice = 1 << 15;
/** Rights to create devices and sockets. They are denied even in writable folders. */
const creationOfDevicesAndSockets = (1 << 6) | (1 << 9) | (1 << 11);
/** Bit masks of all file rights. The index is the version of Landlock. */
const knownFileRights = [0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff];
const networkRights = { bind: 1, connect: 2 } as const;
const scopes = { abstractSockets: 1, signals: 2 } as const;

const pathRule = 1;
const portRule = 2;

/** Oldest usable version of Landlock. Earlier versions cannot restrict network access. */
const minVersion = 4;
/** First version of Landlock that can deny signals to processes outside the sandbox. */
const minVersionForSignals = 6;

/**
 * Returns the Landlock version of the kernel. Throws if the version is too old. A script with a
 * separate user also works with older versions, because the kernel denies signals to processes of
 * other users anyway.
 */
export function checkLandlock(hasOwnUser: boolean): number {
  const version = readVersion();
  const needed = hasOwnUser ? minVersion : minVersionForSignals;
  if (version >= needed) return version;
  const found = version === 0 ? "has no Landlock" : `has version ${version} of Landlock`;
  throw new Error(`The kernel ${found}; version ${needed} is needed.`);
}

function readVersion(): number {
  try {
    return callKernel("landlockCreateRuleset", 0, 0, 1);
  } catch {
    return 0;
  }
}

/** Restricts the current thread, and all programs that the thread starts or executes. */
export function restrictByLandlock(rules: LandlockRules, version: number): void {
  const everyRight = knownFileRights[Math.min(version, knownFileRights.length - 1)] ?? 0;
  const isScoped = version >= minVersionForSignals;
  const attributes = new BigUint64Array([
    BigInt(everyRight),
    BigInt(networkRights.bind | networkRights.connect),
    BigInt(isScoped ? scopes.abstractSockets | scopes.signals : 0),
  ]);
  const bytes = isScoped ? 24 : 16;
  const ruleset = callKernel("landlockCreateRuleset", pointerTo(attributes), bytes, 0);
  const reading = fileRights.execute | fileRights.readFile | fileRights.readFolder;
  for (const path of rules.readable) allowPath(ruleset, path, reading);
  for (const path of rules.writable) {
    allowPath(ruleset, path, everyRight & ~creationOfDevicesAndSockets);
  }
  const connection = new BigUint64Array([BigInt(networkRights.connect), BigInt(rules.port)]);
  callKernel("landlockAddRule", ruleset, portRule, pointerTo(connection), 0);
  setProcessOption("noNewPrivileges", 1);
  callKernel("landlockRestrictSelf", ruleset, 0);
  closeDescriptor(ruleset);
}

const rightsOfFiles =
  fileRights.execute | fileRights.writeFile | fileRights.readFile | truncate | controlDevice;

/** Allows access to a path. Skips a missing path. */
function allowPath(ruleset: number, path: string, rights: number): void {
  let isFolder: boolean;
  try {
    isFolder = lstatSync(realpathSync(path)).isDirectory();
  } catch {
    return;
  }
  const descriptor = openPath(path);
  const rule = Buffer.alloc(12);
  rule.writeBigUInt64LE(BigInt(isFolder ? rights : rights & rightsOfFiles), 0);
  rule.writeInt32LE(descriptor, 8);
  callKernel("landlockAddRule", ruleset, pathRule, pointerTo(rule), 0);
  closeDescriptor(descriptor);
}
