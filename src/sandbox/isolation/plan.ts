/** Messages between the runner and the processes of a sandbox. They contain only plain data. */

/** A file or folder of this machine that a sandbox contains at `target`, read-only by default. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isWritable?: boolean;
  /**
   * Whether a sandbox without a file tree gets a copy instead of a link. Programs search the parent
   * folders for settings, and a link would lead the search into folders that the programs cannot
   * read.
   */
  readonly isCopied?: boolean;
}

export interface SandboxLimits {
  /** Memory limit of all processes of a run together, including the files that they write. */
  readonly memoryBytes: number;
  /** Maximum number of processes and threads. */
  readonly processes: number;
  /** Maximum size of a file, and of each writable folder of a sandbox with a file tree. */
  readonly folderBytes: number;
  readonly cpuSeconds: number;
}

/**
 * Files and symbolic links of a project, which are added to the script's folder. The files are
 * copied, so that the script can change them.
 */
export interface Project {
  /** Folder where the files are mounted. The files are copied from there to the script's folder. */
  readonly folder: string;
  /** Symbolic links to create in the script's folder. Their targets are paths in the sandbox. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

export interface SandboxPlan {
  /** Prefix of paths in the sandbox: empty with a file tree, otherwise the folder of the run. */
  readonly root: string;
  /** Port of the proxy on this machine; `null` if the sandbox has a separate network. */
  readonly port: number | null;
  /** User id of the script if root builds the sandbox; otherwise `null`. */
  readonly userId: number | null;
  readonly limits: SandboxLimits;
  readonly mounts: readonly Mount[];
  /** Files to write. The paths are relative to the script's folder. */
  readonly files: readonly {
    readonly path: string;
    readonly content: string;
    readonly isBase64?: boolean;
  }[];
  readonly project: Project | null;
  /** Working folder of the program, relative to the script's folder. */
  readonly workingDir: string;
  readonly program: Program;
  /**
   * Whether the program starts a browser, which reads information about its processes in /proc.
   * Without a file tree, access to /proc also exposes the processes of other users.
   */
  readonly usesBrowser: boolean;
}

/** Program to run in the sandbox. The paths start with the root of the sandbox. */
export interface Program {
  /** Path of the program, followed by its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/** System folders and files that Node.js and Chromium need. */
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

/** Folders that the script can write to, present in every sandbox. */
export const scriptFolder = "/script";
export const temporaryFolder = "/tmp";

/**
 * Ports of the listeners inside sandboxes with namespaces. The runner accepts the connections to
 * these ports.
 */
export const proxyPort = 3128;
export const transparentPorts = [80, 443] as const;

/** File descriptor to which a script writes its events. */
export const eventsDescriptor = 3;

/** Message from the runner to the warden, the process that supervises a sandbox. */
export type SandboxMessage =
  | { readonly kind: "start"; readonly plan: SandboxPlan }
  /** Stops the script immediately. */
  | { readonly kind: "stop" };

/** Message from the warden, the process that supervises a sandbox, to the runner. */
export type WardenMessage =
  | { readonly kind: "listener"; readonly port: number }
  | { readonly kind: "name-server" }
  /** The script was started. */
  | { readonly kind: "started" }
  /** The sandbox cannot be built on this machine. */
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "ended"; readonly exit: SandboxExit };

export interface SandboxExit {
  readonly code: number | null;
  readonly signal: string | null;
  /**
   * Limit because of which the warden ended the script: its memory or its number of processes.
   * Otherwise `null`.
   */
  readonly limit: "memory" | "processes" | null;
  /** Sentence that explains the limit if its name does not; otherwise `null`. */
  readonly reason: string | null;
  readonly cpuMs: number;
  readonly memoryBytes: number;
}
