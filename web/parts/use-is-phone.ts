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
/** Returns whether the window is too narrow for two columns in the check editor. */
export const useIsNarrow = watch("(max-width: 991px)");
/** Returns whether the window is too narrow for all columns of the list of checks. */
export const useIsMedium = watch("(max-width: 1279px)");
/** Returns whether the window is wide enough to show the list of checks next to an open check. */
export const useIsWide = watch("(min-width: 1440px)");
