import pg from "pg";
import { clientOptions, type DatabaseConnection } from "./database.ts";
import type { Log } from "./log.ts";

export interface Notifications {
  /** While this is false, news may have been missed: whoever caches must not trust the cache. */
  readonly isListening: () => boolean;
  readonly stop: () => Promise<void>;
}

export interface NotificationOptions {
  readonly connection: DatabaseConnection;
  readonly channel: string;
  readonly log: Log;
  readonly onNotification: (payload: string) => void;
  /** Called after each gap, before `isListening` is true again. */
  readonly onGap: () => void;
}

const retryMs = 500;

/** LISTEN on a connection of its own, made again whenever it breaks. */
export async function listenForNotifications(options: NotificationOptions): Promise<Notifications> {
  let client: pg.Client | null = null;
  let isStopped = false;
  let retry: NodeJS.Timeout | undefined;

  const lose = (lost: pg.Client) => {
    if (client === lost) client = null;
    if (isStopped) return;
    clearTimeout(retry);
    retry = setTimeout(() => void connect(), retryMs);
  };

  async function connect(): Promise<void> {
    const next = new pg.Client({ ...clientOptions(options.connection), keepAlive: true });
    next.on("error", (error) =>
      options.log.debug({ err: error }, "the listening connection broke"),
    );
    next.on("end", () => lose(next));
    next.on("notification", ({ payload }) => options.onNotification(payload ?? ""));
    try {
      await next.connect();
      await next.query(`listen ${options.channel}`);
      options.onGap();
      if (isStopped) await next.end();
      else client = next;
    } catch {
      lose(next);
      await next.end().catch(() => {});
    }
  }

  await connect();
  return {
    isListening: () => client !== null,
    stop: async () => {
      isStopped = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
