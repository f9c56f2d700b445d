/** Focuses the first field with a validation error, expanding a section that hides it. */
export function goToField(form: HTMLElement, keys: readonly string[]): boolean {
  for (const key of keys) {
    const field = findField(form, key);
    if (field === null) continue;
    for (let fold = field.closest("details"); fold; fold = outer(fold)) fold.open = true;
    field.focus({ preventScroll: true });
    field.scrollIntoView({ block: "center" });
    return true;
  }
  return false;
}

function outer(fold: HTMLDetailsElement): HTMLDetailsElement | null {
  return fold.parentElement?.closest("details") ?? null;
}

/** Returns the field of a path, or of its closest ancestor. */
function findField(form: HTMLElement, key: string): HTMLElement | null {
  const names = key.split(".");
  for (let length = names.length; length > 0; length -= 1) {
    const path = CSS.escape(names.slice(0, length).join("."));
    const field = form.querySelector<HTMLElement>(`[data-path~="${path}"]`);
    if (field !== null) return field;
  }
  return null;
}
