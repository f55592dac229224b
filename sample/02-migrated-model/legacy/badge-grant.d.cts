import type { GrantTypeClass } from 'nest-oauth2' with { 'resolution-mode': 'import' };

declare const BadgeGrantType: GrantTypeClass;
export = BadgeGrantType;
