import { hash } from 'node:crypto';

/** A step that Redis takes as a whole. */
export interface Script {
  text: string;
  sha: string;
}

/** Redis knows it by its digest, once it was sent. */
export const script = (...parts: string[]): Script => {
  const text = parts.join('\n').trim();
  return { text, sha: hash('sha1', text) };
};
