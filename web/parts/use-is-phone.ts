import { useSyncExternalStore } from "react";

function watch(query: string) {
  const list = matchMedia(query);
  const subscribe = (listener: () => void) => {
    list.addEventListener("change", listener);
    return () => list.removeEventListener("change", listener);
  };
  return () => useSyncExternalStore(subscribe, () => list.matches);
}

export const useIsPhone = watch("(max-width: 767px)");
/** Too narrow for two columns in the check editor. */
export const useIsNarrow = watch("(max-width: 991px)");
/** Too narrow for all columns. */
export const useIsMedium = watch("(max-width: 1279px)");
/** Wide enough for the list beside an open check. */
export const useIsWide = watch("(min-width: 1440px)");
