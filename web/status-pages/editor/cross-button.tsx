import { IconButton } from "../../parts/buttons.tsx";
import { CloseIcon } from "../../parts/icons.tsx";

/** A remove button. */
export function CrossButton({ label, onClick }: { readonly label: string; onClick: () => void }) {
  return (
    <IconButton aria-label={label} title={label} onClick={onClick}>
      <CloseIcon size={16} />
    </IconButton>
  );
}
