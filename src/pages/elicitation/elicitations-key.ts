import { capability } from '../../../lib/internal.js';
import type { Elicitations } from './elicitations.js';

/** The capability key of the elicitations of a server. */
export const ELICITATIONS = capability<Elicitations>('URL elicitation', 'url-elicitation');
