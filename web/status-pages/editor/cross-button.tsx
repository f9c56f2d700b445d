import { CloseIcon } from "../../parts/icons.tsx";
import styles from "./cards.module.css";

/** A remove button. */
export function CrossButton({ label, onClick }: { readonly label: string; onClick: () => void }) {
  return (
    <button
      type="button"
      className={styles.cross}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <CloseIcon size={16} />
    </button>
  );
}
