import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Row } from "../../parts/layout.tsx";
import { PreviewFrame } from "../../parts/preview-frame.tsx";
import textStyles from "../../parts/text.module.css";
import { audienceQuery } from "../queries.ts";
import { composerWords as words } from "../words.ts";
import styles from "./composer.module.css";
import { previewQuery, toPreviewBody } from "./queries.ts";
import { type Composition, isDrawable } from "./values.ts";

interface PreviewsProps {
  readonly composition: Composition;
  /** Id of the incident; `null` for a new incident. */
  readonly incidentId: string | null;
}

const typingMs = 700;

/**
 * Returns the input as of the last pause in typing. Fields that do not affect the preview are
 * reset.
 */
function useSettled(composition: Composition): Composition {
  const [settled, setSettled] = useState(composition);
  const text = JSON.stringify({ ...composition, notify: false, templateId: "", variables: {} });
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

interface OnePreviewProps {
  readonly title: string;
  readonly isWide?: boolean;
  readonly above?: ReactNode;
  readonly children: ReactNode;
}

function OnePreview({ title, isWide = false, above, children }: OnePreviewProps) {
  return (
    <div className={`${styles.preview} ${isWide ? styles.previewPage : ""}`}>
      <h3>{title}</h3>
      <p className={`${textStyles.muted} ${textStyles.wrap}`}>{above}</p>
      {children}
    </div>
  );
}

/** Shows server-rendered previews of the status page, the mail and the feed. */
export function Previews({ composition, incidentId }: PreviewsProps) {
  const settled = useSettled(composition);
  const { data: audience } = useQuery(audienceQuery(composition.serviceIds));
  const pages = audience?.pages ?? [];
  const [chosen, setChosen] = useState("");
  const page = pages.find(({ statusPageId }) => statusPageId === chosen) ?? pages[0];
  const canDraw = isDrawable(settled) && page !== undefined;
  const body = canDraw ? toPreviewBody(settled, incidentId) : null;
  const { data, error, isFetching } = useQuery(previewQuery(body, page?.statusPageId));
  const shown = canDraw ? data : undefined;
  const state = { isLoading: isFetching, fault: error?.message ?? null };
  return (
    <section className={styles.previews} aria-label={words.previews}>
      <Row gap={4} align="end" justify="between" className={styles.previewHead}>
        <h2>{words.previews}</h2>
        {pages.length > 1 && page !== undefined && (
          <NativeSelect
            label={words.previewOn}
            value={page.statusPageId}
            onChange={(event) => setChosen(event.currentTarget.value)}
            data={pages.map(({ statusPageId, name }) => ({ value: statusPageId, label: name }))}
          />
        )}
      </Row>
      {!canDraw ? (
        <p className={`${textStyles.muted} ${styles.previewPage}`}>
          {audience !== undefined && pages.length === 0 ? words.noPage : words.previewLater}
        </p>
      ) : (
        <>
          <OnePreview title={words.previewPage} isWide above={page.name}>
            <PreviewFrame title={words.previewPage} preview={shown?.page ?? null} {...state} />
          </OnePreview>
          <OnePreview
            title={words.previewMail}
            above={shown && `${words.subject} ${shown.mail.subject}`}
          >
            <PreviewFrame
              title={words.previewMail}
              preview={shown?.mail.preview ?? null}
              deskWidth={640}
              {...state}
            />
          </OnePreview>
          <OnePreview
            title={words.previewFeed}
            above={shown && `${words.entry} ${shown.feed.title}`}
          >
            <PreviewFrame
              title={words.previewFeed}
              preview={shown?.feed.preview ?? null}
              deskWidth={480}
              {...state}
            />
          </OnePreview>
        </>
      )}
    </section>
  );
}
