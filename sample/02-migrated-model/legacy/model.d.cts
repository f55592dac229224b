import type { Model } from 'nest-oauth2' with { 'resolution-mode': 'import' };

declare const model: Model;
export = model;
