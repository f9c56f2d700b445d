/** Inline SVG icons. All icons are decorative. A button with only an icon needs an `aria-label`. */
import type { ReactNode } from "react";

function icon(shape: ReactNode) {
  return function Icon({ size = 18 }: { readonly size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.8}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {shape}
      </svg>
    );
  };
}

export const PulseIcon = icon(<path d="M2.5 13h4.5l2.5-8 4.5 14 2.5-6h5" />);
export const ListIcon = icon(
  <path d="M8.5 6H21M8.5 12H21M8.5 18H21M3.5 6h.1M3.5 12h.1M3.5 18h.1" />,
);
export const MailIcon = icon(<path d="M3 6h18v12H3zM3.5 6.5 12 13l8.5-6.5" />);
export const BracesIcon = icon(
  <path d="M8.5 4C5 4 7.5 11 4 12c3.5 1 1 8 4.5 8M15.5 4c3.5 0 1 7 4.5 8-3.5 1-1 8-4.5 8" />,
);
export const PhoneIcon = icon(<path d="M7.5 2.5h9v19h-9zM11 18.5h2" />);
export const BellIcon = icon(
  <path d="M6 9a6 6 0 1 1 12 0c0 5 2 6.5 2 6.5H4S6 14 6 9M10 19.5a2.2 2.2 0 0 0 4 0" />,
);
export const BrowserIcon = icon(<path d="M3 5h18v14H3zM3 9h18M6 7h.1M8.5 7h.1" />);
export const ScreenIcon = icon(
  <path d="M3 4.5h18v12H3zM9 20h6M12 16.5V20M7 12l3-3 2.5 2L17 7.5" />,
);
export const GripIcon = icon(
  <path d="M9 6h.1M9 12h.1M9 18h.1M15 6h.1M15 12h.1M15 18h.1" strokeWidth={2.6} />,
);
export const GearIcon = icon(
  <>
    <circle cx="12" cy="12" r="3" />
    <path d="M12 2.8v3M12 18.2v3M2.8 12h3M18.2 12h3M5.5 5.5l2.1 2.1M16.4 16.4l2.1 2.1M5.5 18.5l2.1-2.1M16.4 7.6l2.1-2.1" />
  </>,
);
export const SearchIcon = icon(<path d="M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16.2 16.2 21 21" />);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const AskIcon = icon(
  <path d="M4 5h16v11H11l-4.5 4V16H4zM9.8 8.8a2.2 2.2 0 1 1 2.9 2.1c-.5.2-.7.5-.7 1.1M12 13.9h.1" />,
);
export const CloseIcon = icon(<path d="m6 6 12 12M18 6 6 18" />);
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const ChevronIcon = icon(<path d="m9 6 6 6-6 6" />);
export const BackIcon = icon(<path d="m15 6-6 6 6 6" />);
export const DownIcon = icon(<path d="m6 9 6 6 6-6" />);
export const CopyIcon = icon(<path d="M9 9h11v11H9zM5 15H4V4h11v1" />);
export const TrashIcon = icon(<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5" />);
export const PersonIcon = icon(
  <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5c1-4 4-6 7.5-6s6.5 2 7.5 6" />,
);
export const SunIcon = icon(
  <path d="M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5" />,
);
export const MoonIcon = icon(<path d="M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5" />);
export const FilterIcon = icon(<path d="M4 6h16M7 12h10M10 18h4" />);
export const MuteIcon = icon(<path d="M4 9.5v5h4l5 4v-13l-5 4zM17 9l5 6M22 9l-5 6" />);
export const MegaphoneIcon = icon(<path d="M4 10v4h4l9 5V5L8 10zM8 14l1.5 6H12l-1-5M20 10v4" />);
export const FolderIcon = icon(<path d="M3 6.5h6l2 2.5h10v10H3z" />);
export const PinIcon = icon(
  <path d="M12 21c-4-4.5-6.5-8-6.5-11a6.5 6.5 0 1 1 13 0c0 3-2.5 6.5-6.5 11M12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5" />,
);
export const MoreIcon = icon(<path d="M5 12h.1M12 12h.1M19 12h.1" strokeWidth={3} />);
export const PlayIcon = icon(<path d="M7 4.5v15l12-7.5z" />);
export const KeyIcon = icon(
  <path d="M8 17a4.5 4.5 0 1 1 4.2-6H21v3h-2.5v2.5H16V14h-3.8A4.5 4.5 0 0 1 8 17M8 12.5h.1" />,
);
export const BookIcon = icon(
  <path d="M12 6.5C10 4.8 7 4.3 3.5 4.5V18c3.5-.2 6.5.3 8.5 2 2-1.7 5-2.2 8.5-2V4.5C17 4.3 14 4.8 12 6.5M12 6.5V20" />,
);
export const RenewIcon = icon(<path d="M20 12a8 8 0 1 1-2.6-5.9M20 3.5v4.5h-4.5" />);
