import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { formatBytes } from "../../parts/figures.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { Skeleton } from "../../parts/loading.tsx";
import textStyles from "../../parts/text.module.css";
import type { FilesViewProps } from "../kind.ts";
import { Part } from "../run-parts/run-parts.tsx";
import { runFilesQuery } from "./queries.ts";
import styles from "./scripts.module.css";
import { words } from "./words.ts";

type Manifest = Schemas["AssetManifest"];
type File = Manifest["assets"][number];

const { runFiles: labels } = words;

/**
 * Returns the path and query string of a file's URL, so that the file is loaded from this page's
 * origin.
 */
function toPath(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

const isPicture = ({ contentType }: File) => contentType.startsWith("image/");
const isVideo = ({ contentType }: File) => contentType.startsWith("video/");

/** Shows the files of a run: screenshots and videos directly, and other files as links. */
export function RunFiles({ checkId, resultId }: FilesViewProps) {
  const { data, error, refetch } = useQuery(runFilesQuery(checkId, resultId));
  return (
    <Part title={labels.title}>
      {data !== undefined ? (
        <FileList manifest={data} />
      ) : error ? (
        <ErrorPanel error={error} title={labels.notLoaded} onRetry={() => void refetch()} />
      ) : (
        <Skeleton rows={2} />
      )}
    </Part>
  );
}

/** Shows the captured packets of a run; renders nothing if there are none. */
export function RunPackets({ checkId, resultId }: FilesViewProps) {
  const { data } = useQuery(runFilesQuery(checkId, resultId));
  if (data === undefined || data.assets.length + data.lost.length === 0) return null;
  return (
    <Part title={labels.title}>
      <FileList manifest={data} />
    </Part>
  );
}

function FileList({ manifest: { assets, lost } }: { readonly manifest: Manifest }) {
  return (
    <Stack gap={3}>
      {assets.length > 0 && (
        <ul className={listStyles.list}>
          {assets.map((file) => (
            <FileItem key={file.id} file={file} />
          ))}
        </ul>
      )}
      {lost.map(({ reason, count }) => (
        <p key={reason} className={textStyles.muted}>
          {labels.lost[reason](count)}
        </p>
      ))}
      {assets.length === 0 && lost.length === 0 && (
        <p className={textStyles.muted}>{labels.none}</p>
      )}
    </Stack>
  );
}

function FileItem({ file }: { readonly file: File }) {
  const { type, name, size, viewerUrl } = file;
  const path = toPath(file.url);
  return (
    <Stack as="li" gap={2} className={listStyles.item}>
      {isPicture(file) && (
        <a href={path} target="_blank" rel="noreferrer">
          <img src={path} alt={labels.picture(name)} loading="lazy" className={styles.picture} />
        </a>
      )}
      {isVideo(file) && (
        <video
          src={path}
          aria-label={labels.video(name)}
          controls
          muted
          preload="metadata"
          className={styles.picture}
        />
      )}
      <Row gap={3}>
        <span>{name}</span>
        <span className={textStyles.muted}>
          {labels.types[type]}, {formatBytes(size)}
        </span>
        {viewerUrl !== null && (
          <a href={viewerUrl} target="_blank" rel="noreferrer">
            {labels.openTrace}
          </a>
        )}
        <a href={path} download={name} aria-label={labels.downloadNamed(name)}>
          {labels.download}
        </a>
      </Row>
      {type === "pcap" && <p className={textStyles.hint}>{labels.packets}</p>}
      {type === "trace" && viewerUrl === null && (
        <p className={textStyles.hint}>{labels.noViewer}</p>
      )}
    </Stack>
  );
}
