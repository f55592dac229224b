/**
 * Control characters and characters that change the text direction. A text with them could alter how the rest of a page
 * is displayed.
 */
export const UNSAFE_TEXT = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
