/** Control characters, and those that turn the direction of a line: nothing else on a page must be bent by a text of somebody else. */
export const UNSAFE_TEXT = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
