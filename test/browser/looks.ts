const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };

/** The windows, color schemes and languages in which pages are looked at. */
export const LOOKS = [
  { place: 'desktop-light', viewport: DESKTOP, colorScheme: 'light', locale: 'en' },
  { place: 'desktop-dark', viewport: DESKTOP, colorScheme: 'dark', locale: 'en' },
  { place: 'phone-light', viewport: PHONE, colorScheme: 'light', locale: 'en' },
  { place: 'phone-dark', viewport: PHONE, colorScheme: 'dark', locale: 'en' },
  { place: 'phone-arabic', viewport: PHONE, colorScheme: 'dark', locale: 'ar' },
  { place: 'desktop-arabic', viewport: DESKTOP, colorScheme: 'light', locale: 'ar' },
] as const;

export type Look = (typeof LOOKS)[number];
