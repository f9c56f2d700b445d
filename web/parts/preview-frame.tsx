import { useEffect, useRef, useState } from "react";
import { Segments } from "./buttons.tsx";
import { Row } from "./layout.tsx";
import styles from "./preview-frame.module.css";

/** URLs that every preview operation returns. */
export interface PreviewAddresses {
  readonly light: string;
  readonly dark: string;
}

interface PreviewFrameProps {
  /** Accessible title, such as "Preview of the page". */
  readonly title: string;
  /** URLs of the preview; `null` until the first preview has loaded. */
  readonly preview: PreviewAddresses | null;
  /** Whether a newer preview is loading. */
  readonly isLoading?: boolean;
  /** Why there is no preview, or why it is out of date; `null` if the preview is current. */
  readonly fault?: string | null;
  /** Width of the desktop preview in pixels, before it is scaled down to fit. */
  readonly deskWidth?: number;
}

type Theme = "light" | "dark";
type Screen = "desk" | "phone";

const phoneWidth = 390;
/** Window width below which the phone preview is selected initially. */
const narrowWidth = 768;
const words = {
  themes: { light: "Light", dark: "Dark" },
  screens: { desk: "Desktop", phone: "Phone" },
  loading: "Loading the preview",
} as const;

function Choice<Value extends string>(props: {
  readonly label: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  const options = Object.entries(props.options) as [Value, string][];
  return (
    <Segments>
      <legend className="unseen">{props.label}</legend>
      {options.map(([value, name]) => (
        <button
          key={value}
          type="button"
          aria-pressed={props.value === value}
          onClick={() => props.onChange(value)}
        >
          {name}
        </button>
      ))}
    </Segments>
  );
}

function useSize() {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, size };
}

/**
 * Loads a new document behind the old one and shows it when it is ready, to avoid flicker while the
 * user types.
 */
function useShownAddress(requested: string | null) {
  const [shown, setShown] = useState<string | null>(null);
  const addresses = [...new Set([shown, requested])].filter((address) => address !== null);
  return { addresses, shown, show: setShown };
}

/** Restores the scroll position when a newer document is loaded. */
function useScrollPosition() {
  const top = useRef(0);
  useEffect(() => {
    const end = new AbortController();
    addEventListener(
      "message",
      ({ data }) => {
        if (data?.preview === "scrolled") top.current = Number(data.top) || 0;
      },
      { signal: end.signal },
    );
    return () => end.abort();
  }, []);
  return (frame: HTMLIFrameElement) => {
    if (top.current > 0)
      frame.contentWindow?.postMessage({ preview: "scroll", top: top.current }, "*");
  };
}

/** Shows a preview of an unsaved document in light or dark mode, for desktop or phone. */
export function PreviewFrame(props: PreviewFrameProps) {
  const { title, preview, isLoading = false, fault = null, deskWidth = 1_100 } = props;
  const [theme, setTheme] = useState<Theme>("light");
  const [screen, setScreen] = useState<Screen>(() => (innerWidth < narrowWidth ? "phone" : "desk"));
  const { ref, size } = useSize();
  const keepPlace = useScrollPosition();
  const requested = preview?.[theme] ?? null;
  const { addresses, shown, show } = useShownAddress(requested);
  const width = screen === "phone" ? phoneWidth : Math.max(deskWidth, size.width);
  const scale = size.width === 0 ? 1 : Math.min(1, size.width / width);
  const left = Math.max(0, (size.width - width * scale) / 2);
  const box = { left, width, height: size.height / scale, transform: `scale(${scale})` };
  return (
    <section className={styles.preview} aria-label={title}>
      <Row gap={3} className={styles.bar}>
        <Choice label="Colours" options={words.themes} value={theme} onChange={setTheme} />
        <Choice label="Screen" options={words.screens} value={screen} onChange={setScreen} />
        <p className={styles.state} role="status">
          {fault ?? (isLoading ? words.loading : "")}
        </p>
      </Row>
      <div className={styles.pane} ref={ref}>
        {addresses.map((address) => (
          <iframe
            key={address}
            className={styles.frame}
            src={address}
            title={address === shown ? title : `${title}, loading`}
            sandbox="allow-scripts"
            style={box}
            data-shown={address === shown}
            tabIndex={address === shown ? 0 : -1}
            aria-hidden={address !== shown}
            onLoad={({ currentTarget }) => {
              keepPlace(currentTarget);
              if (address === requested) show(address);
            }}
          />
        ))}
      </div>
    </section>
  );
}
