/* Written by sdk/node/build.mjs. */
"use strict";var fr=Object.create;var dt=Object.defineProperty;var lr=Object.getOwnPropertyDescriptor;var gr=Object.getOwnPropertyNames;var hr=Object.getPrototypeOf,mr=Object.prototype.hasOwnProperty;var yr=(e,t,n,r)=>{if(t&&typeof t=="object"||typeof t=="function")for(let o of gr(t))!mr.call(e,o)&&o!==n&&dt(e,o,{get:()=>t[o],enumerable:!(r=lr(t,o))||r.enumerable});return e};var L=(e,t,n)=>(n=e!=null?fr(hr(e)):{},yr(t||!e||!e.__esModule?dt(n,"default",{value:e,enumerable:!0}):n,e));var ur=require("node:module");var ft=require("node:fs"),we=require("node:os"),M=require("node:path"),br=new Set(["npm-cli.js","npx-cli.js","npm","npx","pnpm","pnpm.cjs","pnpx.cjs","yarn","yarn.js","yarn.cjs","corepack","corepack.js","nodemon.js","nodemon"]);function He(e){try{process.stderr.write(`gasoline: ${e}
`)}catch{}}function lt(e,t,n=He){let r=(e.GASOLINE??"").toLowerCase();if(r==="off"||r==="0"||r==="false"||br.has((0,M.basename)(t[1]??"")))return;let o,s=e.GASOLINE_TOKEN??"";try{o=new URL(e.GASOLINE_URL||"http://127.0.0.1:7890"),s||=decodeURIComponent(o.username)}catch{return}let i=e.NODE_ENV==="production";if(i&&s===""||o.protocol!=="http:"&&o.protocol!=="https:")return;let a=o.searchParams.get("pin");if(a!==null&&o.protocol==="http:"){n("GASOLINE_URL has a pin, which needs https: nothing is sent");return}if(a!==null&&!/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(a)){n("the pin of GASOLINE_URL is no SHA-256 in base64url: nothing is sent");return}o=new URL(`${o.protocol}//${o.host}`);let c=o.hostname==="127.0.0.1"||o.hostname==="localhost"||o.hostname==="[::1]";if(o.protocol==="http:"&&!c)return;let u=e.GASOLINE_TOKEN_FILE||(0,M.join)(e.GASOLINE_STATE_DIR||(0,M.join)((0,we.homedir)(),".gasoline"),"token"),p=wr(e.OTEL_RESOURCE_ATTRIBUTES??""),d=kr(t[1]);return{url:o,local:c,pin:a??"",token:()=>s||gt(u).trim(),prove:s===""&&o.protocol==="http:",service:e.OTEL_SERVICE_NAME||p["service.name"]||d.name||(0,M.basename)(t[1]??"node").replace(/\.[cm]?[jt]s$/,""),version:p["service.version"]||d.version,instance:p["service.instance.id"]||`${(0,we.hostname)()}:${process.pid}`,environment:p["deployment.environment.name"]||e.NODE_ENV||"",gated:i,interval:i?500:100}}function wr(e){let t={};for(let n of e.split(",")){let r=n.indexOf("=");if(r<1)continue;let o=n.slice(r+1).trim();try{t[n.slice(0,r).trim()]=decodeURIComponent(o)}catch{t[n.slice(0,r).trim()]=o}}return t}function kr(e){let t=e?(0,M.dirname)(e):process.cwd();for(let n=0;n<32;n++){let r=gt((0,M.join)(t,"package.json"));if(r!=="")try{let{name:s,version:i}=JSON.parse(r);if(typeof s=="string")return{name:s,version:typeof i=="string"?i:""}}catch{}let o=(0,M.dirname)(t);if(o===t)break;t=o}return{name:"",version:""}}function gt(e){try{return(0,ft.readFileSync)(e,"utf8")}catch{return""}}var Rn=require("node:async_hooks");var ht=L(require("node:http"),1),mt=L(require("node:https"),1),{apply:g}=Reflect,ke=globalThis.setTimeout,Be=globalThis.clearTimeout,ce=Date.now,U=performance.now.bind(performance),yt=ht.default.request,bt=mt.default.request;var xr=20,wt=ce(),kt=U();function W(){let e=U(),t=wt+(e-kt),n=ce();return Math.abs(n-t)<xr?t:(wt=n,kt=e,n)}var ze=e=>String(1e6+e).slice(1),xt=0,_t="0";function Q(e){let t=Math.floor(e),n=Math.floor(t/1e6);n!==xt&&(xt=n,_t=String(n));let r=Math.min(999999,Math.round((e-t)*1e6));return n===0?`${t}${ze(r)}`:_t+ze(t-n*1e6)+ze(r)}var _r=Symbol.for("opentelemetry.js.api.1"),Sr=Symbol.for("io.opentelemetry.js.api.logs"),vr=Symbol.for("OpenTelemetry Context Key SPAN"),Ar=/^[0-9a-f]{48}$/,St=()=>globalThis[_r],q=()=>St()?.trace!==void 0,ue=()=>globalThis[Sr]!==void 0;function vt(){let e=St()?.context;if(e)try{let t=e.active().getValue(vr);if(!t)return;let{traceId:n,spanId:r,traceFlags:o}=t.spanContext();return Ar.test(n+r)?{trace:n,span:r,sampled:(o&1)===1,random:(o&2)===2}:void 0}catch{return}}var f={trace:1,debug:5,info:9,warn:13,error:17,fatal:21};function At(e){return e>=17?4:e>=13?2:e>=9?1:0}function Rr(e){return e>=60?f.fatal:e>=50?f.error:e>=40?f.warn:e>=30?f.info:e>=20?f.debug:f.trace}var Er={emerg:f.fatal,alert:f.fatal,crit:f.fatal,fatal:f.fatal,error:f.error,warn:f.warn,warning:f.warn,notice:f.info,info:f.info,http:f.debug,verbose:f.debug,debug:f.debug,silly:f.trace,trace:f.trace};function Z(e){return typeof e=="number"?e>=10&&e<=60?Rr(e):void 0:typeof e=="string"?Er[e.toLowerCase()]:void 0}var ie=require("node:crypto"),_n=L(require("node:http"),1),Sn=L(require("node:https"),1),vn=require("node:worker_threads"),An=require("node:zlib");var Tr=globalThis,{apply:jr,construct:ks,get:xs,getPrototypeOf:Et,defineProperty:Or,ownKeys:_s}=Reflect,Tt=Reflect.getOwnPropertyDescriptor,{keys:Ss,create:vs}=Object;var jt=Map;var As=performance.now.bind(performance),Rs=Date.now;var $r=Function.prototype.bind,Ir=Function.prototype.call;function S(e){return jr($r,Ir,[e])}function Cr(e){return Tr[e]?.prototype}function pe(e,t){let n=Cr(e),r=n&&Tt(n,t)?.value;return r?S(r):()=>{}}var Es=S(Object.prototype.hasOwnProperty),b=S(String.prototype.slice),xe=S(String.prototype.charCodeAt),Ot=S(String.prototype.toLowerCase),Ts=S(String.prototype.toUpperCase),A=S(String.prototype.indexOf),De=S(String.prototype.lastIndexOf),Je=S(String.prototype.startsWith),js=S(String.prototype.trim),_e=S(Number.prototype.toString),$t=S(Map.prototype.get),It=S(Map.prototype.set),Os=S(Map.prototype.delete),Ct=S(Map.prototype.clear),$s=S(WeakMap.prototype.get),Is=S(WeakMap.prototype.set),Cs=S(Promise.prototype.then),Ps=pe("EventTarget","addEventListener"),Ns=pe("EventTarget","removeEventListener"),Ls=pe("EventTarget","dispatchEvent"),Ms=pe("Event","stopImmediatePropagation"),Us=setTimeout.bind(globalThis),qs=clearTimeout.bind(globalThis),Hs=typeof TextEncoder=="function"?new TextEncoder:void 0,Bs=pe("TextEncoder","encode"),Pr=Et(Uint8Array.prototype),zs=S(Tt(Pr,"byteLength").get),Ds=1<<20;function de(e){return{__proto__:null,...e}}var Rt=Array.prototype,Nr=Object.prototype;function Fe(e,t){let n=e.length;if(Et(Rt)===Nr&&!(n in Rt)){e[n]=t;return}Or(e,n,{__proto__:null,value:t,writable:!0,enumerable:!0,configurable:!0})}var Lr="authorization proxy-authorization cookie set-cookie x-api-key x-auth-token x-csrf-token x-xsrf-token x-secret x-password x-session cf-access-jwt-assertion",Mr="sec-websocket-key surrogate-key idempotency-key x-cache-key",Ur="password passwd pwd passphrase passcode password_confirmation password_confirm password_hash secret secret_key client_secret token access_token refresh_token id_token auth_token csrf_token api_key access_key access_key_id private_key signing_key encryption_key account_key authorization cookie set_cookie session_id phpsessid jsessionid sid csrf xsrf jwt bearer credential credentials otp mfa_code one_time_code pin cvv cvc card_number cc_number ssn social_security_number amz_signature sig user_pass db_pass smtp_pass pgpassword secret_key_base password_again password_repeat security_code verification_code totp pw passwords passwort kennwort contrasena mot_de_passe senha api_keys master_key auth_key app_key code_verifier saml_response device_code recovery_code recovery_codes backup_codes mnemonic seed_phrase recovery_phrase",qr="page_token next_token continuation_token sync_token cancel_token",Ge=64,Hr=2e3,Ut=de({}),qt=de({}),Ht=de({}),Bt=de({});for(let e of Ur.split(" "))Ut[e]=e,qt[e.replaceAll("_","")]=e;for(let e of qr.split(" "))Ht[e]=!0;for(let e of Lr.split(" "))Bt[e]=e.replaceAll("-","_");for(let e of Mr.split(" "))Bt[e]="";var We=new jt,Pt=0;function B(e){let t=$t(We,e);if(t!==void 0)return t;let n=Br(zr(e));return++Pt>Hr&&(Ct(We),Pt=1),e.length<=Ge&&It(We,e,n),n}function Br(e){let t="",n="";for(let r=0;r<e.length;r++){if(r===0||e[r-1]==="_"){let o=b(e,r);if(Ht[o])return"";t||=Ut[o]??""}e[r]!=="_"&&(n+=e[r])}return t||(qt[n]??"")}function zr(e){let t=e.length>Ge?b(e,-Ge):e,n="";for(let o=0;o<t.length;o++){let s=t[o];Nt(s)?((o>0&&!Nt(t[o-1])||o>0&&o+1<t.length&&Lt(t[o+1]))&&n!==""&&n[n.length-1]!=="_"&&(n+="_"),n+=zt[xe(s,0)-55]):Lt(s)||Mt(s)?n+=s:n!==""&&n[n.length-1]!=="_"&&(n+="_")}let r=n.length;for(;r>0&&(n[r-1]==="_"||Mt(n[r-1]));)r--;return b(n,0,r)}var zt=[];for(let e=0;e<36;e++)Fe(zt,_e(e,36));var Nt=e=>e>="A"&&e<="Z",Lt=e=>e>="a"&&e<="z",Mt=e=>e>="0"&&e<="9";function te(e,t,n){let r=Dt(Ft(Jt,t));return"<"+e+":"+Jr(n===""?r:Dt(r^Dr(n)))+">"}var Jt=2166136261;function Ft(e,t){let n=e;for(let r=0;r<t.length;r++)n=Ve(n^xe(t,r),16777619);return n}function Dt(e){let t=Ve(e^e>>>16,2246822507);return t=Ve(t^t>>>13,3266489909),(t^t>>>16)>>>0}var Dr=e=>Ft(Jt,e),Jr=e=>b("0000000"+_e(e,16),-8),Ve=Math.imul;function Wt(e,t){let n=e,r=A(n,"://");if(r>0){let a=A(n,"/",r+3),c=A(n,"@",r+3),u=A(n,":",r+3);c>0&&u>0&&u<c&&(a<0||c<a)&&(n=b(n,0,u+1)+te("password",b(n,u+1,c),t)+b(n,c))}let o=A(n,"?"),s=A(n,"#"),i=o<0||s>=0&&s<o?s:o;return i<0||A(n,"=",i)<0?n:b(n,0,i+1)+Se(b(n,i+1),t)}function Se(e,t){let n="",r=0;for(;r<=e.length;){let o=r;for(;o<e.length&&!(e[o]==="&"||e[o]==="#"||e[o]==="?");)o++;let s=A(e,"=",r);if(s>=0&&s<o&&s+1<o){let i=Ke(Fr(b(e,r,s))),a=b(e,s+1,o);n+=b(e,r,s+1)+(i&&!Gr(a)?te(i,a,t):a)}else n+=b(e,r,o);o<e.length&&(n+=e[o]),r=o+1}return n}function Ke(e){let t=B(e);for(let n=A(e,"[");t===""&&n>=0;n=A(e,"[",n+1))t=B(b(e,0,n));return t}function Fr(e){if(A(e,"%")<0)return e;let t="";for(let n=0;n<e.length;n++){let r=e[n]==="%"?+("0x"+b(e,n+1,n+3)):NaN;t+=r<128?Wr(r):e[n],r<128&&(n+=2)}return t}var Wr=String.fromCharCode,Gr=e=>Je(e,"<")&&e[e.length-1]===">";function Gt(e,t,n){return Je(t,"application/x-www-form-urlencoded")?Se(e,n):e[ee(e,0)]==="["||A(e,'":')>=0||A(e,'" :')>=0?Vr(e,n):e}function Vr(e,t){let n="",r=0,o=0;for(;;){let s=A(e,'"',o);if(s<0)break;let i=Xe(e,s);if(i<0)break;o=i+1;let a=ee(e,o),c=b(e,s+1,i),u="",p=e[a]===":"&&(c==="value"||c==="Value");e[a]===":"?u=(p?Yr(e,s):"")||B(c):e[a]===","&&Xr(e,s)&&(u=Kr(c));let d=ee(e,a+1);if(u===""||d>=e.length)continue;let l=Vt(e,d);if(l===d)continue;let h=e[d]==='"',w=h&&e[l-1]==='"'&&l-1>d,k=b(e,h?d+1:d,w?l-1:l);o=l,!(k===""||k==="null"||k==="true"||k==="false")&&(n+=b(e,r,d)+'"'+te(u,k,t)+'"',r=l)}return n+b(e,r)}function Kr(e){let t=e.length;for(;t>0&&(e[t-1]===" "||e[t-1]===":"||e[t-1]==="=");)t--;return t===e.length&&A(e," ")>=0?"":B(b(e,0,t))}function Xr(e,t){let n=t-1;for(;n>=0&&(e[n]===" "||e[n]===`
`||e[n]==="	"||e[n]==="\r");)n--;return e[n]==="["||e[n]===","}function Yr(e,t){let n=De(e,"{",t),r=t-n>1e3?-1:n,o=t+1e3;for(;r>=0&&r<o;){let s=A(e,'"',r),i=s<0?-1:Xe(e,s)+1,a=i<1?-1:ee(e,ee(e,i)+1),c=a<0?-1:Vt(e,a);if(c<=a)return"";let p=A(Qr," "+Ot(b(e,s+1,i-1))+" ")>=0?B(b(e,a+1,c-1)):"";if(p!=="")return p;r=e[ee(e,c)]===","?c:-1}return""}var Qr=" name key id field header type ";function Xe(e,t){for(let n=t+1;n<e.length;n++)if(e[n]==="\\")n++;else if(e[n]==='"')return n;return-1}function ee(e,t){let n=t;for(;n<e.length&&(e[n]===" "||e[n]===`
`||e[n]==="	"||e[n]==="\r");)n++;return n}function Vt(e,t){let n=e[t];if(n==="{"||n==="[")return t;if(n==='"'){let o=Xe(e,t);return o<0?e.length:o+1}let r=t;for(;r<e.length&&!(e[r]===","||e[r]==="}"||e[r]==="]"||e[r]===`
`);)r++;return r}var Kt={d:"0-9",h:"0-9a-f",x:"0-9a-fA-F",l:"0-9a-z",U:"0-9A-Z",k:"2-7A-Z",a:"0-9A-Za-z",w:"0-9A-Za-z_",u:"0-9A-Za-z_-",b:"0-9A-Za-z+/",m:"0-9A-Za-z+/_-",e:"=",c:"0-9a-z-",t:"0-9A-Za-z_.-",v:"02-9ac-hj-np-z",g:"MNO",s:"./0-9A-Za-z",q:"0-9A-Za-z_.~-",p:"0-9A-Za-z_.~%-"},Xt=`
adafruit^ aio_{a28} e
adobe_secret p8e-{u32} e
age^ AGE-SECRET-KEY-1{U58}
 AGE-SECRET-KEY-PQ-1{U58-}
 age-secret-key-1{l58}
airtable^ key{a14} e m
airtable~ pat{a14}.{h64}
aiven~ aivenv1{b30-} m
alibaba^ LTAI{a12-30} m
anthropic^ sk-ant-{u20-}
anyscale^ esecret_{l26}
apify~ apify_api_{a34-38}
artifactory~ AKCp{a65-75}
 cmVmd{a59} e m
atlassian~ ATATT3{m20-}
 ATCTT3{m20-}
 ATBB{a32}
 ATSTT3{m20-}
 BBDC-{b40-}
aws_bedrock^ ABSK{b60-}
 bedrock-api-key-{b20-}
aws^ AKIA{U16} e
 ASIA{U16} e
 ABIA{U16} e d
 ACCA{U16} e d
 A3T{U17} e d
aws_mws~ amzn.mws.{c36}
bitcoin^ xprv{a107} e
brevo^ xkeysib-{h64}-{a16}
 xsmtpsib-{h64}-{a16}
buildkite~ bkua_{h40}
 bkaj_{u20-}
canva_secret cnvca{u40-}
cas_ticket ST-{d1-}-{u20-} m
 TGT-{d1-}-{u20-} m
 PGT-{d1-}-{u20-} m
 PT-{d1-}-{u20-} m
cerebras^ csk-{l40-} e
checkout^ sk_sbox_{l20-}
circleci~ CCIPAT_{a22}_{h40}
 CCIPRJ_{a22}_{h40}
clickhouse^ 4b1d{a38} e m
clojars~ CLOJARS_{l60}
cloudflare^ v1.0-{h24}-{h146}
cloudflare~ cfut_{a40-}
 cfat_{a40-}
 cfk_{a40-}
contentful~ CFPAT-{u40-}
crates~ cio{a32} e m
databricks~ dapi{h32}
 dose{h32} e
 dkea{h32} e
datadog^ ddapp_{a34}
 ddap_{w30-}
 ddpat_{w30-}
 ddsat_{w30-}
deepseek^ sk-{h32} e d
definednetworking~ dnkey-{u26}-{u52}
digitalocean~ dop_v1_{h64}
 doo_v1_{h64}
 dor_v1_{h64}
 dos_v1_{h64}
 DO00{U16} e
 DO801{U15} e
discord~ mfa.{u80-}
discord_webhook discord.com/api/webhooks/{d16-}/|{u20-}
 discordapp.com/api/webhooks/{d16-}/|{u20-}
docker~ dckr_pat_{u24-}
 dckr_oat_{u24-}
doppler~ dp.pt.{a40-44}
 dp.st.{a40-44}
 dp.st.{u2-35}.{a40-44}
 dp.ct.{a40-44}
 dp.sa.{a40-44}
 dp.scim.{a40-44}
 dp.audit.{a40-44}
 dp.said.{a40-44}
dropbox~ sl.{u60-}
 sl.u.{u60-}
duffel~ duffel_test_{u40-}
 duffel_live_{u40-}
dynatrace~ dt0{a3}.{k24}.{k64}
 dt0{a3}.{U24}.{U64}
easypost^ EZAK{a54}
 EZTK{a54}
elevenlabs^ sk_{h48} e
facebook~ EAA{a30-} m
 EAACEdEose0cBA{a10-}
fcm^ AAAA{u7}:APA91{u100-}
figma~ figd_{u32-}
 figu_{u32-}
fireworks^ fw_{a22-} m
flutterwave^ FLWSECK_TEST-{h12-}
 FLWSECK-{h12-}
 FLWSECK_TEST{h12-}
fly~ fm1_{m60-}
 fm1a_{m60-}
 fm1r_{m60-}
 fm2_{m60-}
 fo1_{u43}
frameio~ fio-u-{u60-}
gasoline~ gasoline_ingest_{h16}_{h64}
 gasoline_query_{h16}_{h64}
 gasoline_admin_{h16}_{h64}
github~ ghp_{a30-}
 gho_{a30-}
 ghu_{a30-}
 ghs_{t30-}
 ghr_{a30-}
 github_pat_{w22-}
gitlab~ glpat-{t20-}
 gldt-{t20-}
 glrt-{t20-}
 glrtr-{t20-}
 gloas-{t20-}
 glptt-{t20-}
 glcbt-{t20-}
 glft-{t20-}
 glimt-{t20-}
 glagent-{t20-}
 glsoat-{t20-}
 glffct-{t20-}
 glwt-{t20-}
 GR1348941{u20-}
gocardless~ live_{u40} e m
 sandbox_{u40} e m
google^ AIza{u31-}
 AQ.Ab8{u30-}
 ya29.{t20-}
 GOCSPX-{u17-}
 1//0{u30-}
 4/0A{u30-}
 GOOG{U57} e
 GOOG1E{U55} e
grafana~ glsa_{a32}_{x8}
 glc_{m32-}{e0-3}
 eyJrIjoi{b40-}{e0-3}
groq^ gsk_{a40-}
harness~ pat.{u22}.{h24}.{a20}
 sat.{u22}.{h24}.{a20}
heroku^ HRKU-{u36-}
honeycomb^ hcaik_{a28-}
 hcamk_{a28-}
 hcxik_{a28-}
 hcxmk_{a28-}
hubspot~ pat-na{d1}-{x8}-{x4}-{x4}-{x4}-{x12}
 pat-eu{d1}-{x8}-{x4}-{x4}-{x4}-{x12}
 pat-ap{d1}-{x8}-{x4}-{x4}-{x4}-{x12}
huggingface~ hf_{a27-}
 api_org_{a34}
ifttt_webhook maker.ifttt.com/trigger/{u1-}/with/key/|{u20-}
 maker.ifttt.com/trigger/{u1-}/json/with/key/|{u20-}
infracost^ ico-{a32} e m
intra42_secret s-s4t2ud-{h64}
 s-s4t2af-{h64}
ionic~ ion_{l42}
jwt eyJ{u7-}.{u2-}.{u0-} j
kubernetes~ K10{h64}::server:{h32}
langfuse^ sk-lf-{c36}
langsmith^ lsv2_pt_{h32}_{h10}
 lsv2_sk_{h32}_{h10}
launchdarkly^ api-{h8}-{h4}-{h4}-{h4}-{h12} e
 sdk-{h8}-{h4}-{h4}-{h4}-{h12} e
 mob-{h8}-{h4}-{h4}-{h4}-{h12} e
linear^ lin_api_{a32-}
 lin_oauth_{a32-}
 lin_refresh_{a32-}
 lin_wh_{a20-}
lob^ live_{h35} e
 test_{h35} e
 live_pub_{h31} e
 test_pub_{h31} e
mailersend~ mlsn.{h64}
mailgun^ key-{h32} e d
 pubkey-{h32} e
mapbox~ sk.eyJ{u40-}.{u20-}
 tk.eyJ{u40-}.{u20-}
 pk.eyJ{u40-}.{u20-}
mercury~ secret-token:mercury_{a20-}
 secret-token:{q20-}
mergify^ mka_{a40-}
neon^ napi_{l40-}
netlify~ nfp_{a36-}
 nfc_{a36-}
 nfo_{a36-}
 nfu_{a36-}
 nfb_{a36-}
newrelic^ NRAK-{U27}
 NRAL-{U27}
 NRIQ-{u32}
 NRII-{u32}
 NRSP-{a20-}
 NRRA-{h42}
 NRAA-{h27}
 NRJS-{h19}
ngc^ nvapi-{u40-}
nostr^ nsec1{v58} e
notion~ ntn_{a40-}
 secret_{a43} e m
npm~ npm_{a32-}
nuget^ oy2{l43} e
nytimes^ nyt_{a32} e m
octopus^ API-{U25-36} e d
onepassword^ A3-{U6}-{U11}-{U5}-{U5}-{U5}
 A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}
onepassword~ ops_eyJ{b100-}{e0-3}
onfido~ api_live.{u10-}.{u20-}
 api_sandbox.{u10-}.{u20-}
openai^ sk-proj-{u17-}
 sk-svcacct-{u17-}
 sk-admin-{u17-}
 sk-{u21-} m
 sess-{a40} e m
openrouter^ sk-or-v1-{h64}
openshift~ sha256~{u43}
paddle^ pdl_live_apikey_{t40-}
 pdl_sdbx_apikey_{t40-}
paypal~ access_token$production\${l16}\${h32}
 access_token$sandbox\${l16}\${h32}
password_hash 2a\${d2}\${s53}
 2b\${d2}\${s53}
 2y\${d2}\${s53}
 apr1\${s1-8}\${s22} e
 5$rounds={d1-}\${s1-16}\${s43} e
 6$rounds={d1-}\${s1-16}\${s86} e
 pbkdf2_sha256\${d1-}\${a1-}\${b40-}{e0-2}
paystack^ sk_live_{h40}
pem^ LS0tLS1CRUdJTiBSU0EgUFJJ{b40-}{e0-2}
 LS0tLS1CRUdJTiBQUklWQVRF{b40-}{e0-2}
 LS0tLS1CRUdJTiBFQyBQUklW{b40-}{e0-2}
 LS0tLS1CRUdJTiBPUEVOU1NIIFBS{b40-}{e0-2}
 LS0tLS1CRUdJTiBFTkNSWVBURUQg{b40-}{e0-2}
perplexity^ pplx-{a40-}
persona^ persona_sandbox_{c36}
 persona_production_{c36}
pinecone^ pcsk_{w40-}
pkcs8^ MII{a3}IBADANBgkqhkiG9w0BAQEFAASC{b20-}{e0-2}
 MII{a3}IBAAKC{a2}EA{b20-}{e0-2}
 MHcCAQEEI{b60-}{e0-2}
 MIGHAgEAMBMGByqGSM49{b60-}{e0-2}
 MC4CAQAwBQYDK2VwBCIEI{b40-}{e0-2}
plaid~ access-sandbox-{c36}
 access-development-{c36}
 access-production-{c36}
planetscale~ pscale_tkn_{t30-}
 pscale_oauth_{t30-}
 pscale_pw_{t30-}
polar~ polar_oat_{a30-}
 polar_pat_{a30-}
posthog^ phx_{a40-}
 phs_{a40-}
 phc_{a40-}
postman^ PMAK-{h24}-{h34}
 PMAT-{U26}
prefect^ pnu_{l36}
pulumi~ pul-{h40}
pypi~ pypi-{u35-}
rails^ BAh{b40-}{e0-2}--{h40}
razorpay^ rzp_live_{a14-}
 rzp_test_{a14-}
readme^ rdme_{l70}
replicate~ r8_{a37-}
resend^ re_{a8}_{a24} e
rubygems^ rubygems_{h48}
runpod^ rpa_{a40-}
salesforce~ 00D{a12-15}!{t80-}
 5Aep861{t80-}
samsara~ samsara_api_{a28-}
scaleway^ SCW{U17} e d
scalingo~ tk-us-{u48}
sendgrid^ SG.{u16-32}.{u16-64} m
sentry~ sntrys_eyJ{m40-}{e0-2}_{m40-}
 sntrys_{m40-}
 sntryu_{h64}
 sntrya_{h64}
 sntryi_{h64}
settlemint~ sm_aat_{a16} e
 sm_pat_{a16} e
 sm_sat_{a16} e
shippo~ shippo_live_{h40}
 shippo_test_{h40}
shopify~ shpat_{a24-}
 shpca_{a24-}
 shppa_{a24-}
 shpss_{a24-}
 shpua_{a24-}
 shptka_{a24-}
slack~ xoxb-{u15-}
 xoxp-{u15-}
 xoxa-{u15-}
 xoxr-{u15-}
 xoxs-{u15-}
 xoxo-{u15-}
 xoxc-{u15-}
 xoxd-{p15-}
 xoxe-{u15-}
 xoxe.xox{u15-}
 xapp-{u15-}
 xwfp-{u15-}
snyk~ snyk_uat.{h8}.{u30-}
 snyk_sat.{h8}.{u30-}
sonar~ sqp_{h40}
 squ_{h40}
 sqa_{h40}
 sqb_{h40}
sourcegraph~ sgp_{h16}_{h40}
 sgp_local_{h40}
 sgp_{h40}
 slk_{h64} e
square~ EAAA{u56-} m
 sq0atp-{u22}
 sq0csp-{u43}
 sq0idp-{u22}
ssh^ b3BlbnNzaC1rZXktdjE{b40-}{e0-2}
stripe^ sk_live_{w12-}
 sk_test_{w12-}
 sk_prod_{w12-}
 rk_live_{w12-}
 rk_test_{w12-}
 rk_prod_{w12-}
 sk_org_{w12-}
 whsec_{m14-}{e0-2}
 pi_{a14-}_secret_{a14-}
 seti_{a14-}_secret_{a14-}
 cs_live_{a10-}_secret_{u14-}
 cs_test_{a10-}_secret_{u14-}
supabase^ sbp_{w40-}
 sb_secret_{u20-}
tailscale^ tskey-{a2-}-{a8-}-{a16-}
 tskey-{u16-} m
telegram~ bot{d8-10}:{u35} e m
tencent^ AKID{a13-} e m
together^ tgp_v1_{u40-}
trello~ ATTA{h64}
 ATTA{h64}{a8}
twitch~ oauth:{l30} e d
twitter~ AAAAAAAAAAAAAAAAAAAAA{p30-} m
typeform~ tfp_{t40-}
unkey^ unkey_{a16-}
vault~ hvs.{u20-}
 hvb.{u20-}
 hvr.{u20-}
vercel~ vcp_{a24-}
 vca_{a24-}
 vci_{a24-}
 vcr_{a24-}
 vck_{a24-}
 vercel_blob_rw_{a16}_{a24-}
volcengine^ AKLT{a30-}{e0-2} m
voyage^ pa-{u43} e m
wakatime^ waka_{h8}-{h4}-{h4}-{h4}-{h12}
weightsandbiases^ wandb_v1_{w40-}
xai^ xai-{a70-}
yandex~ y0_{u40-}
 t1.{m20-}.{m40-}{e0-2} m
 AQVN{u35-38} m
zoho~ 1000.{h32}.{h32}
zuplo^ zpka_{w40-}
`;var ne=require("node:crypto");var Zr=/^[ \t]*([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[^,]*)?$/;function re(e){if(typeof e!="string"||e.length>512)return;let[,t,n="",r="",o="",s]=Zr.exec(e.trimEnd())??[];if(t===void 0||t==="ff"||t==="00"&&s!==void 0||/^0+$/.test(n)||/^0+$/.test(r))return;let i=parseInt(o,16);return{trace:n,span:r,sampled:(i&1)===1,random:(i&2)===2}}var V=e=>`00-${e.trace}-${e.span}-0${(e.sampled?1:0)+(e.random?2:0)}`,eo=32,to=512,no=128,ro=/^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;function oe(e){if(typeof e!="string"||e==="")return"";let t=[];for(let r of e.split(",",4096)){let o=r.replace(/^[ \t]+|[ \t]+$/g,"");if(o!==""){if(t.length===eo||!ro.test(o))return"";t.push(o)}}let n=t.join(",").length;for(let r of[no,0])for(let o=t.length-1;o>=0;o--){let s=t[o]?.length??0;n<=to||s<=r||(t.splice(o,1),n-=s+1)}return t.join(",")}var Ye="",ve=0;function Qt(e){for(;;){ve+e>Ye.length&&(Ye=(0,ne.randomBytes)(2048).toString("hex"),ve=0);let t=Ye.slice(ve,ve+=e);if(!/^0+$/.test(t))return t}}var Zt=()=>Qt(32),Ae=()=>Qt(16),en="gasoline-session",oo=3600;function tn(e,t,n=ce()){if(typeof e!="string"||t==="")return!1;let[,r="",o=""]=/^1\.(\d{1,12})\.([0-9a-f]{64})$/.exec(e)??[];if(r==="")return!1;let s=Number(r)-Math.floor(n/1e3);return s<0||s>oo+60?!1:(0,ne.timingSafeEqual)(Yt.encode(o),Yt.encode(so(t,r)))}var Yt=new TextEncoder,so=(e,t)=>(0,ne.createHmac)("sha256",e).update(`gasoline-session 1
${t}`).digest("hex");var le=Ae(),on=3,sn=1024,io=16384,Ee=new Map,an=e=>e.replace(/[.+*?()[\]{}|^$\\/]/g,"\\$&"),nn=(e,t)=>e.replace(/([^{]*)(?:\{(.)(\d+)(-?)(\d*)\})?/g,(n,r,o,s,i,a)=>an(r)+(o===void 0?"":`[${Kt[o]}]{${s}${i&&`,${a||t}`}}`)),Re="";for(let e of Xt.trim().split(`
`)){let[t,n="",...r]=e.split(" ");Re=t?.replace("~","_token").replace("^","_key")||Re;let[o,s]=n.includes("|")?n.split("|"):["",n],i=n.slice(0,on),a=Ee.get(i)??[],c=Re==="jwt"?io:sn;a.push({kind:Re,form:new RegExp(`${nn(o,c)}(${nn(s,c)})`,"dy"),exact:r.includes("e"),digit:r.includes("d")||r.includes("m")}),Ee.set(i,a)}var fe=new RegExp(`[=:]|-----BEGIN |(?<![\\w.-])\\d(?=(?:[ -]?\\d){13})|\\b(?:[Bb][Ee][Aa][Rr][Ee][Rr] |[Bb][Aa][Ss][Ii][Cc] |${[...Ee.keys()].map(an).join("|")})`,"g"),Qe=/\d/,ao=/[\w+/=.~-]*/y,cn=/^(?:<|%3C)[a-z]\w*:[0-9a-f]{8}(?:>|%3E)$/,co=/(?:password|secret|passwd|pwd)$/,uo=new Set(["null","undefined","true","false"]),po=/[ =\t]*/y,fo=/[^\s"',;&)}\]<>]+/y,lo=/(?:bearer|basic) /iy,go=/[\w.~+/=-]{8,}/y,ho=/[^\s/?#"'<>,)]{1,512}(?=@)/y,mo=/\d(?:[ -]?\d){13,15}(?![\w]|\.\d|-\d)/y,yo=/-----BEGIN [A-Z ]{0,50}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [^-]{0,64}-----|$)/y,bo={'"':/(?:[^"\\]|\\.)*/sy,"'":/(?:[^'\\]|\\.)*/sy},wo={'"':/[^"\\]*/y,"'":/[^'\\]*/y};function z(e,t,n){return e.lastIndex=n,e.test(t)?e.lastIndex:n}function K(e){fe.lastIndex=0;let t=fe.exec(e);if(t===null)return e;let n="",r=0;for(;t!==null;t=fe.exec(e)){let o=ko(e,t.index,t[0]);if(!o){fe.lastIndex=t.index+1;continue}let[s,i,a]=o;fe.lastIndex=a;let c=e.slice(i,a);cn.test(c)||(n+=e.slice(r,i)+te(s,c,le),r=a)}return r===0?e:n+e.slice(r)}function ko(e,t,n){let r=n[0];if(r==="=")return rn(e,t);if(r===":"){if(e[t+1]!=="/"||e[t+2]!=="/")return rn(e,t);let o=z(ho,e,t+3);return o>t+3?["credentials",t+3,o]:void 0}if(r==="-"){let o=z(yo,e,t);return o>t?["private_key",t,o]:void 0}if(n.length>on){let o=t+n.length,s=z(go,e,o);return s>o&&Qe.test(e.slice(o,s))?[n.trimEnd().toLowerCase(),o,s]:void 0}if(n.length===1){let o=z(mo,e,t);return o>t&&xo(e.slice(t,o))?["card",t,o]:void 0}for(let{kind:o,form:s,exact:i,digit:a}of Ee.get(n)??[]){s.lastIndex=t;let[c,u]=s.exec(e)?.indices?.[1]??[0,0];if(!(u===0||i&&/\w/.test(e[u]??"")||a&&!Qe.test(e.slice(c,u))))return[o,c,u-c<sn?u:z(ao,e,u)]}}var Te=new Uint8Array(128);for(let e of"0123456789_-[]")Te[e.charCodeAt(0)]=1;for(let e of"abcdefghijklmnopqrstuvwxyz")Te[e.charCodeAt(0)]=2,Te[e.toUpperCase().charCodeAt(0)]=2;function rn(e,t){let n=t;for(;e[n-1]===" ";)n--;(e[n-1]==='"'||e[n-1]==="'")&&n--,e[n-1]==="\\"&&n--;let r=n,o=0;for(;r>0&&n-r<64;r--){let l=Te[e.charCodeAt(r-1)];if(!l)break;l===2&&o++}if(o<2||e[r-1]==="$")return;let s=Ke(e.slice(r,n));if(s==="")return;let i=z(po,e,t+1),a=e[i]==="\\";a&&i++;let c=e[i];if(c==='"'||c==="'"){if(i++,",)]}:".includes(e[i]??" "))return;let l=z((a?wo:bo)[c],e,i);return l>i?[s,i,l]:void 0}i=z(lo,e,i);let u=z(fo,e,i),p=e.slice(i,u);if(p===""||uo.has(p)||p.includes("(")||p.includes("$")||e[r-1]==="<"&&e[u]===">")return;let d=Qe.test(p);if(!(e[t]===":"&&!co.test(s)&&!(p.length>=4&&d))&&!(e[t]==="="&&e[t+1]===" "&&!d))return[s,i,u]}function un(e,t){let n=B(e);if(n&&t&&t!=="true")return cn.test(t)?t:te(n,t,le);let r=t[0];return K(r==="{"||r==="["?Gt(t,"application/json",le):t)}var pn=e=>B(e)!=="",dn=e=>K(Se(e,le)),fn=e=>K(Wt(e,le));function xo(e){let t=e.replace(/\D/g,"");if(!/^(?:4\d{15}|(?:5[1-5]|2[2-7]|35|60|62|65)\d{14}|3[47]\d{13}|3[068]\d{12})$/.test(t))return!1;let n=0;for(let r=0;r<t.length;r++){let o=t.charCodeAt(t.length-1-r)-48,s=r%2===1?o*2:o;n+=s>9?s-9:s}return n%10===0}var ln=require("node:util");var Ze=/((?:file:\/\/|\/|[A-Za-z]:\\)[^\n]*):\d+:\d+\)?$/m.exec(new Error().stack??"")?.[1]??"";function je(e){if(Ze==="")return;let t=e;for(let n=0;n<5&&typeof t=="object"&&t!==null;n++){let{stack:r,cause:o}=t;if(typeof r=="string"&&r.includes(Ze)){let s=r.split(`
`);t.stack=s.filter(i=>!(/^ +at /.test(i)&&i.includes(Ze))).join(`
`)}t=o}}var se=(e,t)=>e;var O=16384,ge=4096,_o=64;function m(e,t){return e.length<=t?e:`${e.slice(0,t)}\u2026 (${e.length} characters)`}var R=(e,t)=>typeof e=="string"||typeof e=="number"?String(e):t;function he(e){switch(typeof e){case"string":return m(e,ge);case"number":case"boolean":return e;case"bigint":return e.toString();case"undefined":case"function":case"symbol":return String(e).slice(0,256);case"object":break}if(e===null)return"null";try{return e instanceof Error?m(`${e.name}: ${e.message}`,ge):m(et(e,0),ge)}catch{return"[unreadable]"}}function et(e,t){if(typeof e=="string")return JSON.stringify(m(e,1024));if(typeof e=="number")return Number.isFinite(e)?String(e):`"${e}"`;if(typeof e=="boolean"||e===null)return String(e);if(typeof e=="bigint"||typeof e=="symbol")return JSON.stringify(e.toString().slice(0,256));if(typeof e!="object")return JSON.stringify(typeof e);if(e instanceof Date)return JSON.stringify(Number.isNaN(e.getTime())?"Invalid Date":e.toISOString());if(e instanceof Error)return JSON.stringify(`${e.name}: ${e.message}`);if(Array.isArray(e)){if(t>3)return'"[\u2026]"';let r=e.slice(0,64).map(o=>et(o,t+1));return e.length>64&&r.push('"\u2026"'),`[${r.join(",")}]`}if(ArrayBuffer.isView(e))return JSON.stringify(`[${e.byteLength} bytes]`);if(t>3)return'"{\u2026}"';let n=[];for(let r of Object.keys(e)){if(n.length>=64){n.push('"\u2026":true');break}let o=Object.getOwnPropertyDescriptor(e,r);!o||!("value"in o)||o.value===void 0||n.push(`${JSON.stringify(r)}:${et(o.value,t+1)}`)}return`{${n.join(",")}}`}function me(e,t,n={}){let r=_o;for(let o of Object.keys(e)){if(t.has(o))continue;if(r--===0)break;let s=Object.getOwnPropertyDescriptor(e,o);if(!s||!("value"in s)||s.value===void 0)continue;let i=s.value;i instanceof Error?Object.assign(n,D(i)):n[o]=he(i)}return n}function D(e){try{if(e instanceof Error||typeof e=="object"&&e!==null&&"stack"in e){je(e);let{name:t,message:n,stack:r,code:o,cause:s,errors:i}=e,a={"exception.type":m(String(e.constructor?.name??t??"Error"),256),"exception.message":m(String(n),ge),"exception.stacktrace":m(So(String(r??""),s,i),O)};return(typeof o=="string"||typeof o=="number")&&(a["error.code"]=o),a}return{"exception.type":typeof e,"exception.message":m((0,ln.inspect)(e,{depth:1}),ge)}}catch{return{"exception.type":"Error","exception.message":"[unreadable]"}}}function So(e,t,n){let r=[];for(let o=t;r.length<5&&o instanceof Error;o=o.cause)r.push(o);return r.concat(n).slice(0,16).reduce((o,s)=>s instanceof Error?`${o}
Caused by: ${s.stack??s}`:o,e)}var J=JSON.stringify,Oe=class{resource;constructor(t){this.resource=`{"attributes":${$e({"service.name":t.service,"service.instance.id":t.instance,...t.version&&{"service.version":t.version},...t.environment&&{"deployment.environment.name":t.environment},"process.pid":process.pid,"telemetry.sdk.name":"gasoline","telemetry.sdk.language":"nodejs"})}}`}logs(t){let n=Q(W()),o=[...gn(t,s=>s.logger)].map(([s,i])=>`{"scope":{"name":${J(s)}},"logRecords":[${i.map(a=>Ao(a,n)).join(",")}]}`);return`{"resourceLogs":[{"resource":${this.resource},"scopeLogs":[${o.join(",")}]}]}`}spans(t){let r=[...gn(t,o=>o.scope)].map(([o,s])=>`{"scope":{"name":${J(o)}},"spans":[${s.map(To).join(",")}]}`);return`{"resourceSpans":[{"resource":${this.resource},"scopeSpans":[${r.join(",")}]}]}`}};function gn(e,t){let n=new Map;for(let r of e.slice().sort(vo)){let o=n.get(t(r));o?o.push(r):n.set(t(r),[r])}return n}var vo=(e,t)=>e.time-t.time;function Ao(e,t){e.line!==void 0&&Eo(e,e.line);let{trace:n,span:r,severity:o}=e,s=`{"timeUnixNano":"${Q(e.time)}","observedTimeUnixNano":"${t}","severityNumber":${o},"severityText":"${$o(o)}","body":{"stringValue":${J(K(e.body))}},"attributes":${e.attributes?$e(e.attributes):"[]"}`;return n!==""&&(s+=`,"traceId":"${n}"`,r!==""&&(s+=`,"spanId":"${r}"`),s+=e.sampled?',"flags":1':',"flags":0'),`${s}}`}var Ro=new Set(["level","time","pid","hostname","msg","v","name"]);function Eo(e,t){e.line=void 0;try{let n=JSON.parse(t),r=n.msg??n.message;e.body=m(typeof r=="string"?r:t,O),typeof n.name=="string"&&(e.logger=n.name);let o=n.err,s={};typeof o=="object"&&o!==null&&typeof o.stack=="string"&&(s["exception.type"]=R(o.type,"Error"),s["exception.message"]=R(o.message,""),s["exception.stacktrace"]=m(o.stack,O),e.body===t&&(e.body=s["exception.message"])),e.attributes=me(n,Ro,s),e.severity=Z(n.level??n.severity)??e.severity;let{trace_id:i,span_id:a}=n;e.trace===""&&typeof i=="string"&&/^(?!0{32})[0-9a-f]{32}$/.test(i)&&(e.trace=i,e.span=typeof a=="string"&&/^(?!0{16})[0-9a-f]{16}$/.test(a)?a:"")}catch{e.body=m(t,O)}}function To(e){let t=`{"traceId":"${e.trace}","spanId":"${e.span}"`;e.parent!==""&&(t+=`,"parentSpanId":"${e.parent}"`),e.state!==""&&(t+=`,"traceState":${J(e.state)}`);let n=e.message===""?"":`,"message":${J(K(e.message))}`;return`${t},"flags":1,"name":${J(K(e.name))},"kind":${e.role},"startTimeUnixNano":"${Q(e.time)}","endTimeUnixNano":"${Q(e.end)}","attributes":${$e(e.attributes)},"events":[${e.events.map(jo).join(",")}],"status":{"code":${e.status}${n}}}`}var jo=e=>`{"timeUnixNano":"${Q(e.time)}","name":${J(e.name)},"attributes":${$e(e.attributes)}}`;function $e(e){let t="";for(let n of Object.keys(e))t+=`${t===""?"":","}{"key":${J(n)},"value":${Oo(n,e[n])}}`;return`[${t}]`}function Oo(e,t){return typeof t=="string"||pn(e)?`{"stringValue":${J(un(e,String(t)))}}`:typeof t=="boolean"?`{"boolValue":${t}}`:Number.isSafeInteger(t)?`{"intValue":"${t}"}`:`{"doubleValue":${Number.isFinite(t)?t:`"${t}"`}}`}function $o(e){return e>=f.fatal?"FATAL":e>=f.error?"ERROR":e>=f.warn?"WARN":e>=f.info?"INFO":e>=f.debug?"DEBUG":"TRACE"}function tt(e,t){let{request:n,Agent:r,crypto:o,setTimer:s,clearTimer:i,ready:a}=t,c=e.pin===""?{}:{rejectUnauthorized:!1,maxCachedSessions:0},u=new r({keepAlive:!0,maxSockets:1,...c}),p=new WeakSet,d=new WeakSet,l;function h(v){if(e.pin===""||d.has(v))return!0;try{let T=v.getPeerX509Certificate()?.publicKey.export({type:"spki",format:"der"});if(!T)return!1;let j=o.createHash("sha256").update(new Uint8Array(T)).digest("base64url")===e.pin;return j&&d.add(v),j}catch{return!1}}function w(v,T,j,C,H){return new Promise(P=>{let x,E=_=>{x&&i(x),x=void 0,P(_)},I=n({agent:u,protocol:e.protocol,host:e.host,port:e.port,path:v,method:"POST",headers:{"content-type":"application/json","content-length":j.length,...T}}),N=Math.min(2e3,C),G=()=>{I.destroy(),E({status:0,text:"no answer in time",retry:0})};x=s(G,N),x.unref(),I.on("socket",_=>{_.unref();let Y=()=>{if(l=_,!h(_)){I.destroy(),_.destroy(),E({status:0,text:"another key",retry:0,stranger:!0});return}if(!H(_)){I.destroy(),E(void 0);return}a?.(),x&&i(x),N=C,x=s(G,N),x.unref(),I.end(j)};_.connecting?_.once(e.protocol==="https:"?"secureConnect":"connect",Y):Y()}),I.on("error",_=>E({status:0,text:_.message,retry:0})),I.on("response",_=>{let Y="";_.setEncoding("utf8"),_.on("data",ae=>{Y.length<4096&&(Y+=ae)});let pt=()=>{let ae=Number(_.headers["retry-after"]??0);E({status:_.statusCode??0,text:Y.slice(0,4096),retry:ae>0&&ae<3600?ae:0})};_.on("end",pt),_.on("error",()=>E({status:0,text:"the answer was cut",retry:0})),_.on("close",pt)})})}async function k(v){let T=o.randomBytes(32).toString("hex"),[j,,C,H]=e.token.split("_"),P=j==="gasoline"&&H!==void 0,x=P?`token-${C}`:"",E=P?o.createHash("sha256").update(H).digest("hex"):e.token,I=new TextEncoder().encode(JSON.stringify({nonce:T,key_id:x})),N=await w("/prove",{},I,v,()=>!0);if(!N||N.status!==200)return N??{status:0,text:"no proof",retry:0};try{let G=JSON.parse(N.text),_=o.createHmac("sha256",E).update(`gasoline 1 daemon
${[T,e.port,G.server.run,G.boot,x].join(`
`)}`).digest("hex");if(G.proof===_&&l){p.add(l);return}}catch{}return l?.destroy(),{status:0,text:"another program is at the daemon's address",retry:0}}return{async post(v,T,j,C){let H={authorization:`Bearer ${e.token}`,...j&&{"content-encoding":"gzip"}};for(let P=0;P<2;P++){if(e.prove&&!(l&&!l.destroyed&&p.has(l))){let E=await k(C);if(E)return E}let x=await w(v,H,T,C,E=>!e.prove||p.has(E));if(x&&(x.status!==0||P===1)||x&&(x.stranger||x.text==="no answer in time"))return x}return{status:0,text:"the connection changed",retry:0}},close(){u.destroy()}}}var Io=5e3,Co=4<<20,Po=512,No=256,X=class{items=[];head=0;get length(){return this.items.length-this.head}push(t){this.items.push(t)}peek(){return this.items[this.head]}shift(){let t=this.items[this.head];if(t!==void 0)return this.items[this.head++]=void 0,this.head>1024&&this.head*2>this.items.length&&(this.items=this.items.slice(this.head),this.head=0),t}},Ie=class{count=0;bytes=0;dropped=0;lost=0;queues=[new X,new X,new X,new X,new X];failed=new Map;push(t){for(t.worth===4&&t.trace!==""&&this.fail(t.trace),this.queues[t.worth].push(t),this.count++,this.bytes+=t.size;this.count>Io||this.bytes>Co;)this.drop()}take(t,n){let r=[],o=0;for(let s=4;s>=0;s--){let i=this.queues[s];for(let a=i.peek();a&&r.length<t;a=i.peek()){if(o+a.size>n&&r.length>0)return r;i.shift(),this.count--,this.bytes-=a.size,o+=a.size,r.push(a)}}return r}keepErrors(){for(let t of[0,1,2]){let n=this.queues[t];for(let r=n.length;r>0;r--){let o=n.shift();if(!o)break;this.explains(o)||this.forget(o)}}}fail(t){if(!this.failed.has(t)&&(this.failed.set(t,0),this.failed.size>Po))for(let n of this.failed.keys()){this.failed.delete(n);break}}drop(){for(let t of this.queues)for(let n=t.shift();n;n=t.shift())if(!this.explains(n)){this.forget(n);return}}explains(t){let n=t.worth<3?this.failed.get(t.trace):void 0;return n===void 0||n>=No?!1:(this.failed.set(t.trace,n+1),t.worth=3,this.queues[3].push(t),!0)}forget(t){this.count--,this.bytes-=t.size,this.dropped++,this.lost++}};var nt=200,mn=262144,Lo=4096,Mo=5e3,Uo=500,yn=3e4,rt=5,bn=500,qo=2e3,wn=1,Ho=2,kn=3,Bo=20,Ce=class{constructor(t){this.config=t;this.encoder=new Oe(t)}config;ring=new Ie;sent=0;failures=0;encoder;parts=[];post;postToken="";timer;due=0;earliest=0;busy=!1;inRow=0;idle=[];warned=!1;push(t){let{ring:n}=this;if(n.push(t),this.inRow>=rt){t.worth<4&&n.count%256===0&&n.keepErrors();return}this.busy||this.inRow>0||(t.worth===4||n.count>=nt||n.bytes>=mn?this.schedule(0):this.timer===void 0&&this.schedule(this.config.interval))}stats(){return{waiting:this.ring.count+this.parts.reduce((n,r)=>n+r.items.length,0),sent:this.sent,dropped:this.ring.lost,failures:this.failures}}flush(t=bn){return new Promise(n=>{if(!this.pending())return n();ke(n,t).unref(),this.idle.push(n),this.inRow===0&&this.schedule(0)})}pending(){return this.busy||this.parts.length>0||this.ring.count>0}schedule(t){if(this.busy)return;let n=U(),r=this.idle.length>0?n+t:Math.max(n+t,this.earliest);if(this.timer!==void 0){if(r>=this.due)return;Be(this.timer)}this.due=r,this.timer=ke(()=>{this.timer=void 0,this.run()},r-n),this.timer.unref()}async run(){if(this.busy)return;this.busy=!0;let t=-1;try{for(this.next();t<0&&this.parts.length>0;){let n=this.parts[0],r=await this.send(n);if(t=this.settle(n,r),t>=0||this.parts.length>0)continue;(r.status<300&&this.ring.dropped>0||this.idle.length>0&&this.ring.count>0)&&this.next()}}catch{let n=this.parts.shift();n&&this.drop(n.items.length)}if(this.busy=!1,this.earliest=U()+Bo,t>=0||!this.pending())for(let n of this.idle.splice(0))n();t>=0?this.schedule(t):this.pending()&&this.schedule(this.ring.count>=nt?0:this.config.interval)}next(t=nt,n=mn){this.parts.length>0||(this.parts=xn(this.report(this.ring.take(t,n))))}report(t){let{dropped:n}=this.ring;return n===0?t:(this.ring.dropped=0,[...t,Jo(n)])}drop(t){this.ring.dropped+=t,this.ring.lost+=t}encode(t){if(t.body)return t.body;let n=t.path==="/v1/logs"?this.encoder.logs(t.items):this.encoder.spans(t.items),r=new TextEncoder().encode(n);return t.gzip=!this.config.local&&r.length>Lo,t.body=t.gzip?new Uint8Array((0,An.gzipSync)(r,{level:1})):r}target(t){let{url:n,pin:r,prove:o}=this.config;return{protocol:n.protocol,host:n.hostname.replace(/^\[|\]$/g,""),port:Number(n.port)||(n.protocol==="https:"?443:80),token:t,pin:r,prove:o}}async send(t){let n=this.config.token();if(n==="")return{status:0,text:"there is no token",retry:0};if(!this.post||n!==this.postToken){this.post?.close();let o=this.config.url.protocol==="https:";this.postToken=n,this.post=tt(this.target(n),{request:o?bt:yt,Agent:o?Sn.default.Agent:_n.default.Agent,crypto:{createHash:ie.createHash,createHmac:ie.createHmac,randomBytes:ie.randomBytes},setTimer:ke,clearTimer:Be})}let r=this.encode(t);return this.post.post(t.path,r,t.gzip===!0,Mo)}settle(t,{status:n,retry:r,text:o,stranger:s}){if(n>=200&&n<300){this.inRow=0;let a=Do(o);return this.sent+=Math.max(0,t.items.length-a),this.drop(a),this.parts.shift(),-1}if(this.failures++,n===413&&t.items.length>1){let a=t.items.length>>1;return this.parts.splice(0,1,{path:t.path,items:t.items.slice(0,a)},{path:t.path,items:t.items.slice(a)}),-1}if(n>=400&&n<500&&n!==429&&n!==408&&n!==401)return this.parts.shift(),this.drop(t.items.length),-1;if(s&&this.warn(),this.inRow=s?rt:this.inRow+1,this.inRow>=rt)return this.ring.keepErrors(),yn;let i=Math.min(yn,Uo*2**(this.inRow-1));return Math.max(r*1e3,Math.random()*i)}warn(){this.warned||(this.warned=!0,He(`who answers at ${this.config.url.host} has not the key of GASOLINE_URL's pin: nothing is sent`))}flushSync(t=bn){if(!this.pending()&&this.ring.dropped===0||this.inRow>0)return;let n=this.config.token();if(n==="")return;let r=[],o=[...this.parts,...xn(this.report(this.ring.take(1/0,1/0)))];this.parts=[];for(let a of o)r.push([a.path,this.encode(a),a.gzip===!0]);let s=new Int32Array(new SharedArrayBuffer(4)),i=new vn.Worker(`(${zo.toString()})(require, (${tt.toString()}))`,{eval:!0,workerData:{target:this.target(n),local:this.config.local,bodies:r,done:s,ms:t,words:[wn,Ho,kn]},execArgv:[],env:{},stdin:!1});i.on("error",()=>{}),i.unref(),Atomics.wait(s,0,0,qo),Atomics.wait(s,0,wn,t),Atomics.load(s,0)===kn&&this.warn()}};function zo(e,t){let{workerData:n}=e("node:worker_threads"),{target:r,local:o,bodies:s,done:i,ms:a,words:c}=n,[u,p,d]=c,l=E=>{Atomics.store(i,0,E),Atomics.notify(i,0)},h=p,w=r.protocol==="https:",{request:k,Agent:v}=e(w?"node:https":"node:http"),T=e("node:crypto"),j=!1,C=()=>{j||l(u),j=!0},H=t(r,{request:k,Agent:v,crypto:T,setTimer:setTimeout,clearTimer:clearTimeout,ready:C}),P=setTimeout(()=>{},10*a);o||C(),(async()=>{for(let[E,I,N]of s)if((await H.post(E,I,N,4*a)).stranger){h=d;return}})().finally(()=>{clearTimeout(P),l(h),H.close()})}function xn(e){let t=e.filter(o=>o.kind==="log"),n=e.filter(o=>o.kind==="span"),r=[];return n.length>0&&r.push({path:"/v1/traces",items:n}),t.length>0&&r.push({path:"/v1/logs",items:t}),r}function Do(e){if(!e.includes("rejected"))return 0;try{let{partialSuccess:t}=JSON.parse(e);return Number(t?.rejectedLogRecords??t?.rejectedSpans??0)||0}catch{return 0}}var Jo=e=>({kind:"log",worth:2,time:W(),severity:f.warn,logger:"gasoline",body:`${e} events were dropped in this process: there were more than could be kept or taken`,attributes:{"gasoline.dropped":e},trace:"",span:"",sampled:!1,size:0});var ot=class{constructor(t){return t}},Pe=class e extends ot{#e;static get(t){return#e in t?t.#e:void 0}static set(t,n){return(#e in t?t:new e(t)).#e=n,e}};var $={internal:1,server:2,client:3,consumer:5},Fo=16,Wo=1e3,F=class{constructor(t,n,r,o,s,i=!0){this.runtime=t;this.scope=n;this.name=r;this.role=o;this.trace=s?.trace??Zt(),this.parent=s?.span??"",this.state=s?.state??"",this.sampled=s?.sampled??!0,this.random=s?.random??!1,this.recorded=i}runtime;scope;name;role;trace;span=Ae();parent;state;sampled;random;recorded;attributes={};status=0;message="";ended=!1;time=W();since=U();events=[];fail(t,n){if(this.ended||!this.runtime.fresh(t))return;this.status=2;let r=D(t);this.message||=m(String(r["exception.message"]??""),1024),r["exception.escaped"]=n,this.events.length<Fo&&this.events.push({time:W(),name:"exception",attributes:r})}end(){if(this.ended||(this.ended=!0,!this.recorded||!this.sampled))return;let{trace:t,span:n,parent:r,state:o,name:s,role:i,attributes:a,events:c,status:u,message:p,scope:d,time:l}=this,h=320+s.length;for(let w in a)h+=48+w.length+String(a[w]).length;for(let w of c)h+=128+2*String(w.attributes["exception.stacktrace"]??"").length;this.runtime.sender.push({kind:"span",worth:u===2?4:1,time:l,end:l+(U()-this.since),scope:d,name:s,role:i,attributes:a,events:c,status:u,message:p,trace:t,span:n,parent:r,state:o,size:h})}},Ne=class{constructor(t){this.config=t;this.sender=new Ce(t)}config;sender;scopes=new Rn.AsyncLocalStorage;served=Pe;routes=new WeakMap;thrown;told=new WeakSet;inside=!1;lastStray=-1/0;open(t,n,r){if(q())return;let o=this.scopes.getStore();if(!(o?!o.recorded:this.config.gated))return new F(this,t,n,r,o&&!o.ended?o:void 0)}bound(t){let{scopes:n,served:r}=this,o=(s,i,a)=>{let c=!0;try{let u=n.run(s,()=>g(t,i,a));return c=!1,u}finally{c&&(this.thrown=s,queueMicrotask(()=>this.thrown=void 0))}};return function(...s){let i=r.get(this);return i&&n.getStore()?.trace!==i.trace&&(s[0]==="error"||this.listenerCount(s[0]))?o(i,this,s):g(t,this,s)}}copied(t){let n=this.scopes.getStore(),r=re(t);return r!==void 0&&r.trace===n?.trace&&r.span===n.parent}log(t,n,r,o,s){let i=this.scopes.getStore();if(!this.wants(i,n))return;let a=i?void 0:vt(),c={kind:"log",worth:At(n),time:W(),severity:n,logger:t,body:r.length>O?m(r,O):r,attributes:o,trace:i?.trace??a?.trace??"",span:i?.span??a?.span??"",sampled:i?.sampled??a?.sampled??!1,size:240+2*Math.min(r.length,O)};if(s!==void 0&&(c.line=s,c.size+=2*s.length),o)for(let u in o)c.size+=48+u.length+String(o[u]).length;this.sender.push(c)}guard(t){if(!this.inside){this.inside=!0;try{t()}catch{}finally{this.inside=!1}}}fresh(t){return typeof t!="object"||t===null?!0:this.told.has(t)?!1:(this.told.add(t),!0)}wants(t,n){if(t)return t.recorded;if(!this.config.gated)return!0;if(n<17)return!1;let r=U();return r-this.lastStray<Wo?!1:(this.lastStray=r,!0)}};var On=require("node:diagnostics_channel"),st=require("node:events"),$n=L(require("node:http"),1),In=L(require("node:http2"),1),Cn=L(require("node:https"),1);var En=require("node:fs"),Tn=L(require("node:module"),1);function jn(e,t){let n=Tn.default.prototype,{load:r}=n,o=new Set([...t.keys()].map(i=>i.slice(i.indexOf("/"))));n.load=function(i){g(r,this,[i]);let a=i.lastIndexOf("node_modules");if(a<0)return;let c=i.slice(a+13).replaceAll("\\","/");e.guard(()=>(t.get(c)??s(i,c))?.(this.exports))};function s(i,a){let c=a.indexOf("/",a[0]==="@"?a.indexOf("/")+1:0),u=a.slice(c);if(c<0||!o.has(u))return;let p=(0,En.readFileSync)(`${i.slice(0,-u.length)}/package.json`,"utf8");return t.get(JSON.parse(p).name+u)}}function y(e,t,n){let r=e[t];if(typeof r!="function")return;let o=n(r);Object.defineProperty(o,"name",{value:r.name}),Object.defineProperty(o,"length",{value:r.length});let s=Object.getOwnPropertyDescriptor(e,t);Object.defineProperty(e,t,{configurable:!0,writable:!0,enumerable:s?.enumerable??!0,value:o})}function Pn(e){for(let t of[$n.default,Cn.default]){let{request:n}=t,r=function(...s){let i=e.open("http","HTTP",$.client),a=g(n,this,s);return i&&e.guard(()=>Ko(e,i,a)),a},o=function(...s){let i=g(r,this,s);return i.end(),i};Object.defineProperty(r,"name",{value:"request"}),Object.defineProperty(o,"name",{value:"get"}),t.request=r,t.get=o}Go(e),Xo(e)}function Go(e){let t=new WeakSet,n=new WeakMap;y(In.default,"connect",r=>function(...o){let s=g(r,this,o);return e.guard(()=>{n.set(s,new URL(String(o[0])));let i=Object.getPrototypeOf(s);t.has(i)||(t.add(i),y(i,"request",a=>Vo(e,n,a)))}),s})}var Vo=(e,t,n)=>function(...r){let o=this,s;e.guard(()=>{if(s=e.open("http2","HTTP",$.client),!s)return;let a=r[0]??{},c=Array.isArray(a),u=k=>{if(!c)return a[k];let v=a.findIndex((T,j)=>j%2===0&&String(T).toLowerCase()===k);return v<0?void 0:a[v+1]},{protocol:p,host:d}=t.get(o)??new URL("https://unknown"),l=R(u(":authority"),d);at(s,R(u(":method"),"GET"),`${p}//${l}${R(u(":path"),"/")}`),s.attributes["network.protocol.version"]="2";let h=u("traceparent");if(h!==void 0&&(c||!e.copied(h)))return;let w=it(s,u("tracestate"));if(c){let k=["traceparent",V(s)];w&&u("tracestate")===void 0&&k.push("tracestate",w),r[0]=[...a,...k]}else{let{tracestate:k,...v}=a;r[0]={...v,traceparent:V(s),...w&&{tracestate:w}}}});let i;try{i=g(n,this,r)}catch(a){throw e.guard(()=>s&&ye(s,a)),s?.end(),se(a,"node-do-not-add-exception-line")}if(s){let a=s;i.once("response",c=>e.guard(()=>ct(a,Number(c[":status"])))),i.once(st.errorMonitor,c=>e.guard(()=>ye(a,c))),i.once("close",()=>{e.guard(()=>{i.rstCode!==0&&a.status===0&&ye(a,new Error(`stream ended with ${i.rstCode}`))}),a.end()})}return i};function Ko(e,t,n){let{method:r,protocol:o,path:s}=n,i=String(n.getHeader("host")??n.host);if(at(t,r,`${o}//${i}${s}`),!n.headersSent){let a=n.getHeader("traceparent");if(a===void 0||e.copied(a)){n.setHeader("traceparent",V(t));let c=it(t,n.getHeader("tracestate"));c?n.setHeader("tracestate",c):n.removeHeader("tracestate")}}n.once(st.errorMonitor,a=>e.guard(()=>ye(t,a))),n.once("close",()=>{e.guard(()=>{let a=n.res;a?.statusCode&&ct(t,a.statusCode)}),t.end()})}function Xo(e){let t=new WeakMap,n=(r,o)=>(0,On.subscribe)(`undici:request:${r}`,s=>e.guard(()=>o(s)));n("create",({request:r})=>{let o=e.open("undici","HTTP",$.client);if(!o)return;t.set(r,o),at(o,r.method,String(r.origin)+r.path);let{headers:s}=r,i=p=>{if(typeof s=="string")return new RegExp(`(?:^|\\r\\n)${p}: *([^\\r]*)`,"i").exec(s)?.[1];let d=s.findIndex((l,h)=>h%2===0&&l.toLowerCase()===p);return d<0?void 0:s[d+1]},[a,c]=[i("traceparent"),i("tracestate")];if(a!==void 0&&!e.copied(a))return;let u=(p,d,l)=>{d===void 0?l&&r.addHeader(p,l):typeof r.headers=="string"?r.headers=r.headers.replace(d,()=>l):r.headers[r.headers.indexOf(d)]=l};u("traceparent",a,V(o)),u("tracestate",c,it(o,c))}),n("headers",({request:r,response:o})=>{let s=t.get(r);s&&ct(s,o.statusCode)}),n("trailers",({request:r})=>t.get(r)?.end()),n("error",({request:r,error:o})=>{let s=t.get(r);s&&(ye(s,o),s.end())})}var it=(e,t)=>oe(Array.isArray(t)?t.join(","):t)||e.state;function at(e,t,n){let r=fn(m(n,2048)),o=/^\w+:\/\/[^/?#]*([^?#]*)/.exec(r)?.[1]||"/";e.name=`${t} ${o}`,e.attributes={"http.request.method":t,"url.full":r};let s=/^\w+:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d+))?/.exec(r);s?.[1]&&(e.attributes["server.address"]=s[1]),s?.[2]&&(e.attributes["server.port"]=Number(s[2]))}function ct(e,t){e.attributes["http.response.status_code"]=t,t>=400&&(e.status=2)}function ye(e,t){let{code:n,name:r,message:o}=t??{};e.status=2,e.message=m(String(o??t),1024),e.attributes["error.type"]=R(n??r,"Error")}var Ln=require("node:util");var Nn={debug:f.debug,log:f.info,info:f.info,warn:f.warn,error:f.error},Yo={depth:3,maxArrayLength:32,maxStringLength:8192,breakLength:1/0,compact:3};function Qo(e){let t="";for(let n=0;n<e.length;n++){let r=e[n];if(typeof r=="string"?n===0&&r.includes("%"):typeof r!="number"||Object.is(r,-0))return;t+=n===0?String(r):` ${String(r)}`}return t}function Mn(e){for(let t of Object.keys(Nn)){let n=console[t],r=Nn[t],o=function(...s){e.guard(()=>{let[i]=s,a=s.length===1&&typeof i=="string",c=a?i:Qo(s)??(0,Ln.formatWithOptions)(Yo,...s),u=a?void 0:s.find(d=>typeof d=="object"&&d instanceof Error),p=a&&c[0]==="{"&&c[c.length-1]==="}"?m(c,O):void 0;e.log("console",r,c,u===void 0?void 0:D(u),p)}),g(n,this,s)};Object.defineProperty(o,"name",{value:n.name}),Object.defineProperty(o,"length",{value:n.length}),console[t]=o}}var Un=require("node:diagnostics_channel"),Me=require("node:module");var qn=2048;function Ue(e,t,n){let r=n.operation??(/^\s*(\w+)/.exec(n.text)?.[1]??"query").toUpperCase(),o=e.open(t,`${r} ${R(n.database,"")}`.trimEnd(),$.client);if(!o)return;o.attributes={"db.system.name":n.system,"db.operation.name":r},n.text&&(o.attributes["db.query.text"]=m(n.text,qn));let s=(i,a)=>{(typeof a=="string"||typeof a=="number")&&(o.attributes[i]=a)};return s("db.namespace",n.database),s("server.address",n.host),s("server.port",n.port),o}var qe=(e,t=/'(?:[^']|'')*'/g)=>m(e,2*qn).replace(t,"?");function be(e,t){let{code:n}=t??{};(typeof n=="string"||typeof n=="number")&&(e.attributes["db.response.status_code"]=n),e.attributes["error.type"]=R(n??t?.name,"Error"),e.fail(t,!1)}function Hn(e){let t=new WeakMap,n=(o,s,i)=>{let a=(c,u)=>(0,Un.subscribe)(`tracing:${o}:${c}`,p=>e.guard(()=>u(p)));a("start",c=>{let u=Ue(e,s,i(c));u&&t.set(c,u)}),a("error",c=>{let u=t.get(c);u&&be(u,c.error)}),a("end",c=>{c.error!==void 0&&t.get(c)?.end()}),a("asyncStart",c=>t.get(c)?.end())},r=({query:o,database:s,serverAddress:i,serverPort:a})=>({system:"mysql",text:typeof o=="string"?qe(o,/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"/gs):"",database:s,host:i,port:a});n("mysql2:query","mysql2",r),n("mysql2:execute","mysql2",r),n("ioredis:command","ioredis",({command:o,args:s,database:i,serverAddress:a,serverPort:c})=>{let u=String(o).toUpperCase(),p=Array.isArray(s)&&typeof s[0]=="string"?` ${m(s[0],128)}`:"";return{system:"redis",operation:u,text:u+p,database:i,host:a,port:c}})}var Zo=e=>t=>{y(t.prototype,"query",n=>function(...r){let o=this,[s]=r,i=typeof s=="string"?s:s?.text;if(typeof i!="string"||typeof s=="object"&&typeof s?.submit=="function")return g(n,this,r);let a;if(e.guard(()=>{let{database:h,host:w,port:k}=o;a=Ue(e,"pg",{system:"postgresql",text:qe(i),database:h,host:w,port:k})}),!a)return g(n,this,r);let c=a,u=h=>{e.guard(()=>{h&&be(c,h),c.end()})},p=h=>{let w=e.scopes.getStore();return function(k,v){u(k);let T=()=>g(h,this,[k,v]);w?e.scopes.run(w,T):T()}},d=r.findIndex(h=>typeof h=="function");return d>=0?(r[d]=p(r[d]),g(n,this,r)):typeof s=="object"&&typeof s?.callback=="function"?(r[0]=Object.assign(Object.create(Object.getPrototypeOf(s)),s,{callback:p(s.callback)}),g(n,this,r)):g(n,this,r).then(h=>(u(void 0),h),h=>{throw u(h??new Error("failed")),h})})};function Le(e,t,n,r,o){y(t,n,s=>function(...i){let a;e.guard(()=>{let u=o(this,i);u&&(a=Ue(e,r,{system:"sqlite",text:qe(u.text),database:u.database}))});let c=a;if(!c)return g(s,this,i);try{let u=g(s,this,i);return n==="iterate"?e.guard(()=>es(e,c,u)):c.end(),u}catch(u){throw e.guard(()=>be(c,u)),c.end(),se(u,"node-do-not-add-exception-line")}})}function Bn(e,t,n,r,o){try{return o()}catch(s){throw e.guard(()=>{if(typeof r!="string")return;let i=Ue(e,t,{system:"sqlite",text:qe(r),database:n()});i&&(be(i,s),i.end())}),se(s,"node-do-not-add-exception-line")}}function es(e,t,n){for(let r of["next","return"])y(n,r,o=>function(...s){try{let i=g(o,this,s);return(r==="return"||i.done)&&t.end(),i}catch(i){throw e.guard(()=>be(t,i)),t.end(),se(i,"node-do-not-add-exception-line")}})}var zn=["run","get","all","iterate"],ts=e=>t=>{let n=new WeakSet;y(t,"prepare",r=>function(...o){let s=()=>this.name,i=()=>g(r,this,o),a=Bn(e,"better-sqlite3",s,o[0],i);return e.guard(()=>{let c=Object.getPrototypeOf(a);if(!n.has(c)){n.add(c);for(let u of zn)Le(e,c,u,"better-sqlite3",p=>{let{source:d,database:l}=p;return{text:d,database:l.name}})}}),a}),Le(e,t,"exec","better-sqlite3",(r,[o])=>typeof o=="string"?{text:o,database:r.name}:void 0)};function Dn(e){if(!(0,Me.isBuiltin)("node:sqlite"))return;let{emitWarning:t}=process,n=[];process.emitWarning=(...u)=>{n.push(u)};let r;try{r=(0,Me.createRequire)("/")("node:sqlite")}finally{process.emitWarning=t}let o=()=>{for(let u of n.splice(0))g(process.emitWarning,process,u)},s=new WeakMap,i=u=>u.location?.()??":memory:",{DatabaseSync:a,StatementSync:c}=r;y(a.prototype,"prepare",u=>function(...p){o();let d=()=>g(u,this,p),l=Bn(e,"node:sqlite",()=>i(this),p[0],d);return e.guard(()=>s.set(l,i(this))),l}),Le(e,a.prototype,"exec","node:sqlite",(u,[p])=>(o(),typeof p=="string"?{text:p,database:i(u)}:void 0));for(let u of zn)Le(e,c.prototype,u,"node:sqlite",p=>({text:p.sourceSQL,database:s.get(p)}))}var Jn=e=>[["pg/lib/client.js",Zo(e)],["better-sqlite3/lib/methods/wrappers.js",ts(e)]];function Fn(e){process.on("uncaughtExceptionMonitor",(t,n)=>{e.guard(()=>{je(t);let r=e.scopes.getStore()??e.thrown,o=!e.config.gated&&!q(),s=r&&!r.ended?r:o?new F(e,"node","uncaught error",$.internal,r):void 0;if(s?.recorded&&s.sampled){s.fail(t,!0),s.end();return}let i=D(t),a=String(i["exception.message"]??"");i["exception.escaped"]=!0,e.log(n,f.fatal,`${String(i["exception.type"])}: ${a}`,i)})})}function Wn(e){process.on("exit",()=>e.guard(()=>e.sender.flushSync()));for(let t of["SIGTERM","SIGINT","SIGHUP"]){let n=()=>{process.listenerCount(t)>1||(e.guard(()=>e.sender.flushSync()),process.removeListener(t,n),process.kill(process.pid,t))};try{process.on(t,n)}catch{}}}var Kn=require("node:diagnostics_channel");function Xn(e){(0,Kn.subscribe)("fastify.initialization",t=>{e.guard(()=>{let{fastify:n}=t;n.addHook("onRequest",(r,o,s)=>{e.routes.set(r.raw,()=>r.routeOptions?.url??r.routerPath),s()}),n.addHook("onError",(r,o,s,i)=>{e.guard(()=>e.served.get(r.raw)?.fail(s,!0)),i()})})})}var Gn=(e,t)=>n=>{y(n.prototype,t,r=>function(...o){return Yn(e,o[1],o[0]),g(r,this,o)})},Vn=e=>t=>{let{prototype:n}=t;y(n?.handle?n:t,"handle",r=>function(o,s,i){return g(r,this,[o,s,typeof i=="function"?c=>{Yn(e,o,c),i(c)}:i])})};function Yn(e,t,n){!n||n==="route"||n==="router"||e.guard(()=>e.served.get(t)?.fail(n,!0))}var ns=e=>t=>{y(t.ExceptionsHandler.prototype,"next",n=>function(...r){return e.guard(()=>{let[o,s]=r;if((o?.getStatus?.()??500)<500)return;let i=s?.getArgByIndex?.(0);((i&&(e.served.get(i)??e.served.get(i.raw??i)))??e.scopes.getStore())?.fail(o,!0)}),g(n,this,r)})},Qn=e=>[["@nestjs/core/exceptions/exceptions-handler.js",ns(e)],["router/lib/layer.js",Gn(e,"handleError")],["router/index.js",Vn(e)],["express/lib/router/layer.js",Gn(e,"handle_error")],["express/lib/router/index.js",Vn(e)],["koa/lib/application.js",t=>{y(t.prototype,"handleRequest",n=>function(...r){let[o,s]=r;return typeof s!="function"?g(n,this,r):(e.routes.set(o.req,()=>o._matchedRoute),g(n,this,[o,a=>s(a).catch(c=>{throw c?.expose===!0||e.guard(()=>e.served.get(o.req)?.fail(c,!0)),c})]))})}]];function rs(e){let{traceparent:t,tracestate:n}=JSON.parse(e.opts?.telemetry?.metadata??"{}"),r=re(t);return r&&{...r,state:oe(n)}}var Zn=e=>[["bullmq/dist/cjs/classes/job.js",t=>{y(t.Job.prototype,"asJSON",n=>function(...r){return e.guard(()=>{let{opts:o}=this,s=e.scopes.getStore();if(!s||!o||o.telemetry?.metadata||o.telemetry?.omitContext||q())return;let i=JSON.stringify({traceparent:V(s),tracestate:s.state});o.telemetry={...o.telemetry,metadata:i}}),g(n,this,r)})}],["bullmq/dist/cjs/classes/worker.js",t=>{let{prototype:n}=t.Worker;y(n,"processJob",r=>function(...o){let s,[i]=o,a=R(i.queueName,"");if(e.guard(()=>{q()||e.config.gated||(s=new F(e,"bullmq",`process ${a}`,$.consumer,rs(i)),s.attributes={"messaging.system":"bullmq","messaging.destination.name":a,"messaging.message.id":R(i.id,"")})}),!s)return g(r,this,o);let c=s;return e.scopes.run(c,()=>g(r,this,o)).finally(()=>c.end())}),y(n,"callProcessJob",r=>function(...o){let s=g(r,this,o);return s instanceof Promise?s.catch(i=>{throw e.guard(()=>e.scopes.getStore()?.fail(i,!0)),i}):s})}]];var er=require("node:diagnostics_channel");function tr(e){(0,er.subscribe)("tracing:pino_asJson:end",t=>{e.guard(()=>{let{arguments:n,result:r}=t;typeof r!="string"||ue()||e.log("pino",Z(n[2])??f.info,"",void 0,r.slice(0,65536))})})}var os=new Set(["level","message","timestamp"]),ss=new Set(["level","time","pid","hostname","msg","v","name","src"]),is={verbose:f.trace,debug:f.debug,log:f.info,warn:f.warn,error:f.error,fatal:f.fatal},as=e=>t=>{y(t.ConsoleLogger.prototype,"printMessages",n=>function(...r){return e.guard(()=>{let[o,s,i,,a]=r,{options:c}=this;if(!(ue()||c?.forceConsole))for(let u of o){let p;u instanceof Error?p=e.told.has(u)?{}:D(u):typeof a=="string"&&a!==""&&(p={"exception.type":"Error","exception.stacktrace":m(a,O)});let d=is[R(i,"log")]??f.info;e.log(R(s,"")||"nest",d,String(he(u)),p)}}),g(n,this,r)})},nr=e=>[["@nestjs/common/services/console-logger.service.js",as(e)],["winston/lib/winston/logger.js",t=>{y(t.prototype,"write",n=>function(...r){return e.guard(()=>{let o=this,s=r[0];if(typeof s!="object"||s===null||o.silent===!0||ue()||!o.isLevelEnabled(s.level))return;let i=me(s,os);s instanceof Error&&(i["exception.type"]=s.name),typeof s.stack=="string"&&(i["exception.message"]=String(s.message),i["exception.stacktrace"]=s.stack,delete i.stack),e.log("winston",Z(s.level)??f.info,String(he(s.message)),i)}),g(n,this,r)})}],["bunyan/lib/bunyan.js",t=>{y(t.prototype,"_emit",n=>function(...r){return e.guard(()=>{let o=r[0];if(r[1]===!0||ue())return;let s=me(o,ss);e.log(R(o.name,"bunyan"),Z(o.level)??f.info,String(he(o.msg)),s)}),g(n,this,r)})}]];var rr=require("node:diagnostics_channel"),ut=L(require("node:http"),1),or=L(require("node:http2"),1);var cs=Symbol.for("NextInternalRequestMeta");function sr(e){(0,rr.subscribe)("http.server.request.start",t=>{e.guard(()=>{let{request:n,response:r}=t,o=q()?void 0:ps(e,n,r);o!==e.scopes.getStore()&&e.scopes.enterWith(o)})});for(let{prototype:t}of[ut.default.IncomingMessage,ut.default.ServerResponse])y(t,"emit",n=>e.bound(n));for(let t of["createServer","createSecureServer"])y(or.default,t,n=>function(...r){let o=g(n,this,r);return e.guard(()=>us(e,o)),o})}function us(e,t){let n=new WeakMap,{emit:r}=t;t.emit=function(o,...s){let i;if(o==="stream"){let[a,c]=s;e.guard(()=>{q()||(i=ds(e,a,c,n))})}else if(o==="request"||o==="checkContinue"){let a=s[0];i=a.stream&&e.served.get(a.stream),i&&a.stream&&(e.served.set(a,i),n.set(a.stream,a))}return i&&i!==e.scopes.getStore()&&e.scopes.enterWith(i),g(r,this,[o,...s])}}function ir(e,{method:t,url:n,scheme:r,version:o,host:s,headers:i}){let{gated:a}=e.config,c=!a||tn(i[en],e.config.token()),u=re(i.traceparent),p=new F(e,"http",t,$.server,u&&{...u,state:oe(i.tracestate)},c);if(!c)return p;let d=n.indexOf("?"),l=m(d<0?n:n.slice(0,d),1024);p.name=`${t} ${l}`,p.attributes={"http.request.method":t,"url.path":l,"url.scheme":r,"network.protocol.version":o},d>=0&&(p.attributes["url.query"]=dn(m(n.slice(d+1),2048))),s&&(p.attributes["server.address"]=m(s,256));let h=i["x-request-id"];return typeof h=="string"&&(p.attributes.request_id=m(h,128)),p}function ar(e,t,n,r){t!==""&&(e.attributes["http.route"]=t,e.name=`${String(e.attributes["http.request.method"])} ${t}`),n!==void 0&&(e.attributes["http.response.status_code"]=n),n!==void 0&&n>=500&&(e.status=2),r||(e.attributes["error.type"]="aborted")}function ps(e,t,n){let{headers:r,method:o="GET",url:s="/",httpVersion:i}=t,a=t.socket.encrypted===!0?"https":"http",c=ir(e,{method:o,url:s,scheme:a,version:i,host:r.host,headers:r});return e.served.set(t,c).set(n,c),c.recorded&&n.once("close",()=>{e.guard(()=>{let u=n.headersSent?n.statusCode:void 0;ar(c,cr(e,t),u,n.writableFinished)}),c.end()}),c}function ds(e,t,n,r){let o=ir(e,{method:String(n[":method"]??"GET"),url:String(n[":path"]??"/"),scheme:String(n[":scheme"]??"https"),version:"2",host:n.host??n[":authority"],headers:n});e.served.set(t,o);let s=Object.getPrototypeOf(t);return Object.hasOwn(s,"emit")||y(s,"emit",i=>e.bound(i)),o.recorded&&t.once("close",()=>{e.guard(()=>{let i=Number(t.sentHeaders?.[":status"]);ar(o,cr(e,r.get(t)),i||void 0,t.rstCode===0)}),o.end()}),o}function cr(e,t){if(!t)return"";let n=e.routes.get(t)?.();if(n===void 0&&t.route){let r=t.route.path,o=typeof t.baseUrl=="string"?t.baseUrl:"";typeof r=="string"?n=r==="/"&&o?o:o+r:r instanceof RegExp&&(n=o+String(r))}return n??=t[cs]?.match?.definition?.pathname,typeof n=="string"?m(n,512):""}var pr=Symbol.for("gasoline.node.1"),fs=()=>globalThis[pr];function dr(){try{if(fs())return;let e=lt(process.env,process.argv);if(!e)return;let t=new Ne(e);Object.defineProperty(globalThis,pr,{value:t}),jn(t,new Map([...nr(t),...Qn(t),...Jn(t),...Zn(t)])),sr(t),Pn(t),(0,ur.syncBuiltinESMExports)(),Xn(t),tr(t),Hn(t),Dn(t),Mn(t),Fn(t),Wn(t)}catch{}}dr();
