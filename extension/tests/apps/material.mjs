import "@material/web/button/filled-button.js";
import "@material/web/checkbox/checkbox.js";
import "@material/web/list/list.js";
import "@material/web/list/list-item.js";
import "@material/web/radio/radio.js";
import "@material/web/select/outlined-select.js";
import "@material/web/select/select-option.js";
import "@material/web/slider/slider.js";
import "@material/web/switch/switch.js";
import "@material/web/textfield/outlined-text-field.js";

document.getElementById("app").innerHTML = `
  <nav aria-label="Shop"><md-list>
    <md-list-item type="link" href="/orders">Orders</md-list-item>
    <md-list-item type="link" href="https://help.example/start" target="_blank">Help</md-list-item>
  </md-list></nav>
  <main><h1>Order</h1><form aria-label="Order" action="/order" method="post">
    <md-outlined-text-field label="Name" name="name" required value="Ada"></md-outlined-text-field>
    <md-outlined-text-field label="Mail" name="mail" type="email" required></md-outlined-text-field>
    <md-outlined-text-field label="Secret" name="secret" type="password"></md-outlined-text-field>
    <md-outlined-select label="Land" name="land"><md-select-option value="de"><div slot="headline">Germany</div></md-select-option>
      <md-select-option value="fr" selected><div slot="headline">France</div></md-select-option></md-outlined-select>
    <label><md-checkbox name="gift" value="yes" checked></md-checkbox> Gift</label>
    <md-switch name="news" value="on" aria-label="News"></md-switch>
    <div role="radiogroup" aria-label="Size"><md-radio name="size" value="s" aria-label="Small"></md-radio>
      <md-radio name="size" value="l" checked aria-label="Large"></md-radio></div>
    <md-slider name="amount" value="30" aria-label="Amount"></md-slider>
    <input type="hidden" name="step" value="2">
    <md-filled-button type="submit">Order now</md-filled-button>
  </form><section><h2>Export</h2><md-filled-button disabled>Upgrade to Pro</md-filled-button></section></main>`;
