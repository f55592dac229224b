import type { UPSTREAM_MESSAGES } from 'nest-oauth2/upstreams';
import type { Translation } from 'nest-oauth2/pages';

export const upstreams: Translation<typeof UPSTREAM_MESSAGES> = {
  upstreamSignIn: '{provider} でサインイン',
  upstreamTitle: '{provider} でのサインイン',
  upstreamBack: 'サインインに戻る',
  upstreamWrongBrowser:
    'このサインインは有効期限が切れているか、別のブラウザーで開始されました。開始したページに戻り、このブラウザーでもう一度お試しください。',
  upstreamUsed: 'このサインインはすでに完了しています。サインインできていない場合は、もう一度お試しください。',
  upstreamCancelled: '{provider} でサインインできませんでした。もう一度試すか、別の方法を選択してください。',
  upstreamFailed: '{provider} でのサインインに失敗しました。もう一度お試しください。',
  upstreamInProgress: 'このサインインはすでに進行中です。しばらくしてからもう一度お試しください。',
  upstreamUnavailable: '{provider} が現在応答していません。しばらくしてからもう一度お試しください。',
  upstreamThrottled: '試行回数が多すぎます。しばらくしてからもう一度お試しください。',
  upstreamTooLong:
    'このリクエストは長すぎるため、{provider} でサインインできません。別のサインイン方法を選択してください。',
  upstreamLinkOnly: '{provider} ではサインインできません。別のサインイン方法を選択してください。',
  upstreamSignInOnly: '{provider} は既存のアカウントに連携できません。',
  upstreamEmailInUse: 'すでにアカウントをお持ちです。{provider} を連携するには、サインインしてください。',
  upstreamNotFresh: '{provider} を連携するには、まずこのブラウザーでもう一度サインインしてください。',
  upstreamOtherAccount: 'この {provider} アカウントは、すでに別のアカウントに連携されています。',
  upstreamUnverified: '{provider} を連携する前に、アカウントのメールアドレスを確認してください。',
  upstreamNotAllowed: '{provider} をここのアカウントに使用できませんでした。',
  upstreamAccountGone: 'アカウントは無効になっているか、削除されています。',
  upstreamWrongConsent:
    'このリンクは有効期限が切れているか、別のユーザー用に作成されたものです。開始したページに戻って、もう一度お試しください。',
  upstreamConsentTitle: '{provider} へのアクセス',
  upstreamConsentIntro: '続行するには、{provider} のアカウントへのアクセスを許可してください。',
  upstreamConsentContinue: '{provider} に進む',
  connectionsTitle: '連携アカウント',
  connectionsIntro: 'これらのアカウントでサインインできます。',
  connectionsNone: '連携されているアカウントはありません。',
  connectionsManage: 'アカウントの連携と解除',
  connectionsConnect: '{provider} を連携',
  connectionsDisconnect: '解除',
  connectionsDisconnectName: '{provider} の連携を解除、{name}',
  connectionsSince: '連携日: {date}',
  connectionsLast: 'これは唯一のサインイン方法です。先に別のアカウントを連携してください。',
  connectionsChanged: '連携アカウントが変更されました。',
};
