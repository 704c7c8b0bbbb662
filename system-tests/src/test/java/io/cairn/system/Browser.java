package io.cairn.system;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Debian's Chromium without a screen, and what a person does with it: look, click, type. Every step
 * waits for what it needs, as the pages draw themselves anew all the time.
 */
final class Browser implements AutoCloseable {
    private static final int LIMIT_S = 60;
    private static final Pattern REQUEST =
            Pattern.compile("\"method\":\"Network.requestWillBeSent\".*?\"request\":\\{.*?\\}", 32);
    private static final Pattern URL = Pattern.compile("\"url\":\"([^\"]*)\"");

    private final ChromeDriver driver;
    private final String accessibility;
    private final List<String> requests = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();

    /** Starts the browser; its profile is made in a directory of the test. */
    Browser(Path directory) throws IOException {
        ChromeOptions options = new ChromeOptions();
        options.setBinary("/usr/bin/chromium");
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-extensions",
                "--disable-sync",
                "--no-first-run",
                "--lang=en",
                "--hide-scrollbars",
                "--user-data-dir=" + Files.createDirectories(directory.resolve("profile")));
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        driver =
                new ChromeDriver(
                        new ChromeDriverService.Builder()
                                .usingDriverExecutable(Path.of("/usr/bin/chromedriver").toFile())
                                .usingAnyFreePort()
                                .build(),
                        options);
        driver.manage().timeouts().pageLoadTimeout(Duration.ofSeconds(LIMIT_S));
        accessibility = script("accessibility.js");
        size(1280, 900);
        // The page that the browser began with is none of ours.
        open("about:blank");
        requests();
        requests.clear();
    }

    private static String script(String name) throws IOException {
        try (InputStream in = Browser.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("no script " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    void open(String url) {
        driver.get(url);
    }

    /** The size of the page in pixels, as on a device. */
    void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** What the system of the person prefers. */
    void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Waits for an element with a text that matches, and returns the text. */
    String see(String css, String regex) {
        Pattern pattern = Pattern.compile(regex, Pattern.DOTALL);
        String[] last = {""};
        try {
            Poll.until(
                    regex + " in " + css,
                    LIMIT_S,
                    () -> {
                        for (WebElement element : driver.findElements(By.cssSelector(css))) {
                            last[0] = element.getText();
                            if (pattern.matcher(last[0]).find()) {
                                return true;
                            }
                        }
                        return false;
                    });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; the page says:\n" + text("body"), e);
        }
        return last[0];
    }

    String text(String css) {
        return driver.findElement(By.cssSelector(css)).getText();
    }

    int count(String css) {
        return driver.findElements(By.cssSelector(css)).size();
    }

    void click(String css) {
        act(By.cssSelector(css), WebElement::click);
    }

    /** Clicks a button or link by its words or its label. */
    void press(String words) {
        String quoted = "\"" + words + "\"";
        By by =
                By.xpath(
                        "(//dialog[@open]|//body[not(.//dialog[@open])])//*[self::a or"
                                + " self::button]"
                                + "[normalize-space(.)=%1$s or @aria-label=%1$s]"
                                        .formatted(quoted));
        act(by, WebElement::click);
    }

    void type(String css, String text) {
        act(
                By.cssSelector(css),
                element -> {
                    element.clear();
                    element.sendKeys(text);
                });
    }

    /** Chooses an option by its value. */
    void choose(String css, String value) {
        click(css + " option[value=\"" + value + "\"]");
    }

    private void act(By by, java.util.function.Consumer<WebElement> action) {
        try {
            Poll.until(
                    "action on " + by,
                    LIMIT_S,
                    () -> {
                        List<WebElement> found = driver.findElements(by);
                        for (WebElement element : found) {
                            if (element.isDisplayed() && element.isEnabled()) {
                                action.accept(element);
                                return true;
                            }
                        }
                        return false;
                    });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; the page says:\n" + text("body"), e);
        }
    }

    /** Types at whatever has the focus. */
    void keys(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** Goes with the tabulator key to the element with these words; each stop shows the focus. */
    void tabTo(String words) {
        for (int i = 0; i < 60; i++) {
            keys(Keys.TAB);
            WebElement active = driver.switchTo().activeElement();
            if (active.getCssValue("outline-style").equals("none")) {
                throw new AssertionError("no visible focus on " + active.getText());
            }
            if (active.getText().equals(words)) {
                return;
            }
        }
        throw new AssertionError("the tabulator key does not lead to " + words);
    }

    String css(String selector, String property) {
        return driver.findElement(By.cssSelector(selector)).getCssValue(property);
    }

    /** What is wrong with the page for people who see or move badly; and what is too wide. */
    List<String> barriers() {
        Object found = driver.executeScript(accessibility);
        List<String> all = new ArrayList<>();
        if (found instanceof List<?> list) {
            list.forEach(each -> all.add(String.valueOf(each)));
        }
        return all;
    }

    /** Errors that the page has written so far, but for answers of the API that are no success. */
    List<String> errors() {
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            boolean isAnswer =
                    entry.getMessage().contains("/api/v1/")
                            && entry.getMessage().contains("Failed to load resource");
            if (entry.getLevel().intValue() >= Level.WARNING.intValue() && !isAnswer) {
                errors.add(entry.getMessage());
            }
        }
        return List.copyOf(errors);
    }

    /** Addresses that the page has asked for so far. */
    List<String> requests() {
        for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
            Matcher request = REQUEST.matcher(entry.getMessage());
            if (request.find()) {
                Matcher url = URL.matcher(request.group());
                while (url.find()) {
                    if (url.group(1).matches("(http|ws)s?:.*")) {
                        requests.add(url.group(1));
                    }
                }
            }
        }
        return List.copyOf(requests);
    }

    /** Forgets what the person chose about colours. */
    void forgetColours() {
        driver.executeScript("localStorage.clear();");
    }

    /** A picture of the page, without what passes after some seconds anyway. */
    void screenshot(Path file) throws IOException {
        driver.executeScript("document.getElementById('said').replaceChildren();");
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
