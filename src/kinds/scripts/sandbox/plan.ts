/** What passes between the runner and the processes of a sandbox. Plain data. */

/** A file or folder of this machine that the script can read at another path. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isWritable?: boolean;
  /**
   * Programs look for settings in the folders above it. Without a file tree it is copied, since a
   * link would lead them into folders that they may not read.
   */
  readonly isCopied?: boolean;
}

export interface SandboxLimits {
  /** All processes of the run together, with its files, which are in memory. */
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly processes: number;
  /** Size of each folder for files. */
  readonly folderBytes: number;
  readonly cpuSeconds: number;
}

/** Files that the script can change, and links between them. */
export interface Project {
  /** Where they are mounted. They are copied into the script's folder. */
  readonly folder: string;
  /** Symbolic links in the script's folder, to paths in the sandbox. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

export interface SandboxPlan {
  /**
   * What precedes every path inside of the sandbox: nothing if it has a file tree, otherwise the
   * folder of the run.
   */
  readonly root: string;
  /** The port of the proxy on this machine, if the sandbox has no separate network. */
  readonly port: number | null;
  /** The user of the script, if the sandbox is built by root; otherwise `null`. */
  readonly userId: number | null;
  readonly limits: SandboxLimits;
  readonly mounts: readonly Mount[];
  /** Files to write, by path in the script's folder. */
  readonly files: readonly {
    readonly path: string;
    readonly content: string;
    readonly isBase64?: boolean;
  }[];
  readonly project: Project | null;
  /** Folder in the script's folder in which the program starts. */
  readonly workingDir: string;
  readonly program: Program;
  /** A browser reads about its processes. Without a file tree it then sees those of others. */
  readonly usesBrowser: boolean;
}

/** With paths that begin with the root of the sandbox. */
export interface Program {
  /** The program with its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/** Parts of the operating system that Node.js and Chromium need. */
export const systemPaths = [
  "/usr",
  "/lib",
  "/lib64",
  "/bin",
  "/sbin",
  "/etc/ssl",
  "/etc/pki",
  "/etc/fonts",
  "/etc/ld.so.cache",
  "/etc/alternatives",
] as const;

export const devices = ["null", "zero", "full", "random", "urandom"].map((name) => `/dev/${name}`);

/** Folders inside of every sandbox that the script can write to. */
export const scriptFolder = "/script";
export const temporaryFolder = "/tmp";

/** Ports that listen inside of every sandbox, and that the runner accepts connections from. */
export const proxyPort = 3128;
export const transparentPorts = [80, 443] as const;

/** The descriptor that a script writes its events to. */
export const eventsDescriptor = 3;

/** To the warden. */
export type SandboxMessage =
  | { readonly kind: "start"; readonly plan: SandboxPlan }
  /** Ends the script at once. */
  | { readonly kind: "stop" };

/** From the warden. */
export type WardenMessage =
  | { readonly kind: "listener"; readonly port: number }
  | { readonly kind: "name-server" }
  /** The script starts. */
  | { readonly kind: "started" }
  /** The sandbox cannot be built here. */
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "ended"; readonly exit: SandboxExit };

export interface SandboxExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The limit that ended the script, if one did. */
  readonly limit: "memory" | "processes" | null;
  readonly cpuMs: number;
  readonly memoryBytes: number;
}
