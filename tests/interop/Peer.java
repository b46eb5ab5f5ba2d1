import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.apache.fluo.api.client.FluoAdmin;
import org.apache.fluo.api.client.FluoAdmin.InitializationOptions;
import org.apache.fluo.api.client.FluoClient;
import org.apache.fluo.api.client.FluoFactory;
import org.apache.fluo.api.client.Transaction;
import org.apache.fluo.api.client.scanner.CellScanner;
import org.apache.fluo.api.config.FluoConfiguration;
import org.apache.fluo.api.data.Bytes;
import org.apache.fluo.api.data.Column;
import org.apache.fluo.api.data.RowColumnValue;
import org.apache.fluo.api.exceptions.CommitException;
import org.apache.fluo.api.service.FluoOracle;
import org.apache.fluo.api.service.FluoWorker;
import org.apache.fluo.core.impl.Environment;
import org.apache.fluo.core.impl.TransactionImpl;
import org.apache.fluo.core.impl.TransactionImpl.CommitData;
import org.apache.fluo.core.oracle.OracleClient;
import org.apache.fluo.core.oracle.Stamp;

/**
 * A process of Apache Fluo that tests control. It reads one command per line, words separated by
 * spaces, and answers each with one line: `ok`, with a result, or `error` with the reason.
 */
public final class Peer {
  static final Column BALANCE = new Column("bank", "balance");

  private final FluoConfiguration config;
  private FluoClient client;
  private Environment environment;
  private FluoOracle oracle;
  private FluoWorker worker;
  /** Transactions that stay open until the process ends. */
  private final List<Object> open = new ArrayList<>();

  private Peer(FluoConfiguration config) {
    this.config = config;
    Observers.site = config;
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    // Libraries print to the standard output too.
    System.setOut(System.err);
    Peer peer = new Peer(new FluoConfiguration(new java.io.File(arguments[0])));
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String answer;
      try {
        answer = ("ok " + peer.run(line.split(" "))).trim();
      } catch (Throwable error) {
        error.printStackTrace();
        answer = "error " + String.valueOf(error).replace('\n', ' ');
      }
      answers.println(answer);
      answers.flush();
    }
    // Threads of the libraries may still run.
    Runtime.getRuntime().halt(0);
  }

  private String run(String[] words) throws Exception {
    switch (words[0]) {
      case "initialize":
        return initialize();
      case "remove":
        return remove();
      case "start-oracle":
        oracle = FluoFactory.newOracle(config);
        oracle.start();
        return "";
      case "stop-oracle":
        oracle.stop();
        return "";
      case "start-worker":
        worker = FluoFactory.newWorker(config);
        worker.start();
        return "";
      case "stop-worker":
        worker.stop();
        return "";
      case "set":
        return set(words);
      case "get":
        return get(words);
      case "increment":
        return increment(words);
      case "open-accounts":
        return openAccounts(words);
      case "transfer":
        return transfer(words);
      case "load":
        return load(words);
      case "prewrite":
        return prewrite(words);
      case "commit-primary":
        return commitPrimary(words);
      case "timestamps":
        return timestamps(words);
      case "dump":
        return dump(words);
      case "combine":
        return combine(words);
      case "export":
        return export(words);
      case "bench":
        return Bench.run(client(), words);
      case "setting":
        return client().getAppConfiguration().getString(words[1], "none");
      default:
        throw new IllegalArgumentException("unknown command " + words[0]);
    }
  }

  private FluoClient client() {
    if (client == null) {
      client = FluoFactory.newClient(config);
    }
    return client;
  }

  private Environment environment() {
    if (environment == null) {
      environment = new Environment(merged());
    }
    return environment;
  }

  /** Returns the configuration with the shared one, as a client sees it. */
  private FluoConfiguration merged() {
    try (FluoAdmin admin = FluoFactory.newAdmin(config)) {
      FluoConfiguration merged = new FluoConfiguration(config);
      admin.getApplicationConfig().toMap().forEach(merged::setProperty);
      return merged;
    }
  }

  private String initialize() throws Exception {
    Observers.configure(config);
    try (FluoAdmin admin = FluoFactory.newAdmin(config)) {
      admin.initialize(new InitializationOptions());
    }
    return "";
  }

  private String remove() {
    try (FluoAdmin admin = FluoFactory.newAdmin(config)) {
      admin.remove();
    }
    return "";
  }

  /** set ROW FAMILY QUALIFIER VALUE [ROW FAMILY QUALIFIER VALUE ..] */
  private String set(String[] words) {
    try (Transaction tx = client().newTransaction()) {
      for (int i = 1; i < words.length; i += 4) {
        tx.set(words[i], new Column(words[i + 1], words[i + 2]), words[i + 3]);
      }
      tx.commit();
      return Long.toString(tx.getStartTimestamp());
    }
  }

  /** get ROW FAMILY QUALIFIER */
  private String get(String[] words) {
    try (Transaction tx = client().newTransaction()) {
      return tx.gets(words[1], new Column(words[2], words[3]), "none");
    }
  }

  /** increment ROW FAMILY QUALIFIER TIMES; answers the number of attempts. */
  private String increment(String[] words) {
    Column column = new Column(words[2], words[3]);
    int times = Integer.parseInt(words[4]);
    int attempts = 0;
    for (int done = 0; done < times; attempts++) {
      try (Transaction tx = client().newTransaction()) {
        long value = Long.parseLong(tx.gets(words[1], column, "0"));
        tx.set(words[1], column, Long.toString(value + 1));
        tx.commit();
        done++;
      } catch (CommitException conflict) {
        // Another process has changed the value.
      }
    }
    return Integer.toString(attempts);
  }

  static String account(int number) {
    return String.format("account:%03d", number);
  }

  /** open-accounts COUNT BALANCE */
  private String openAccounts(String[] words) {
    try (Transaction tx = client().newTransaction()) {
      for (int i = 0; i < Integer.parseInt(words[1]); i++) {
        tx.set(account(i), BALANCE, words[2]);
      }
      tx.commit();
    }
    return "";
  }

  /** transfer ACCOUNTS TIMES SEED; answers the number of transfers that conflicted. */
  private String transfer(String[] words) {
    int accounts = Integer.parseInt(words[1]);
    int times = Integer.parseInt(words[2]);
    Random random = new Random(Long.parseLong(words[3]));
    int conflicts = 0;
    for (int done = 0; done < times;) {
      String from = account(random.nextInt(accounts));
      String to = account(random.nextInt(accounts));
      if (from.equals(to)) {
        continue;
      }
      try (Transaction tx = client().newTransaction()) {
        long source = Long.parseLong(tx.gets(from, BALANCE));
        long target = Long.parseLong(tx.gets(to, BALANCE));
        long amount = random.nextInt(10);
        if (source >= amount) {
          tx.set(from, BALANCE, Long.toString(source - amount));
          tx.set(to, BALANCE, Long.toString(target + amount));
        }
        tx.commit();
        done++;
      } catch (CommitException conflict) {
        conflicts++;
      }
    }
    return Integer.toString(conflicts);
  }

  /** load PREFIX FROM TO: rows with a change in both observed columns. */
  private String load(String[] words) {
    for (int i = Integer.parseInt(words[2]); i < Integer.parseInt(words[3]); i++) {
      String row = String.format("%s%05d", words[1], i);
      try (Transaction tx = client().newTransaction()) {
        tx.set(row, Observers.STRONG, "java");
        tx.set(row, Observers.MARK, "java");
        tx.setWeakNotification(row, Observers.WEAK);
        tx.commit();
      }
    }
    return "";
  }

  /** Writes values in a new transaction up to, and without, its commit point. */
  private CommitData prewritten(TransactionImpl tx, String[] words) throws Exception {
    for (int i = 1; i < words.length; i += 4) {
      tx.set(Bytes.of(words[i]), new Column(words[i + 1], words[i + 2]), Bytes.of(words[i + 3]));
    }
    open.add(tx);
    CommitData data = tx.createCommitData();
    if (!tx.preCommit(data)) {
      throw new IllegalStateException("another transaction has locked or changed a value");
    }
    return data;
  }

  /** prewrite ROW FAMILY QUALIFIER VALUE ..: locks all cells and commits none. */
  private String prewrite(String[] words) throws Exception {
    TransactionImpl tx = new TransactionImpl(environment());
    prewritten(tx, words);
    return Long.toString(tx.getStartTimestamp());
  }

  /** commit-primary ROW FAMILY QUALIFIER VALUE ..: leaves the locks of all cells but the primary. */
  private String commitPrimary(String[] words) throws Exception {
    TransactionImpl tx = new TransactionImpl(environment());
    CommitData data = prewritten(tx, words);
    Stamp commit = environment().getSharedResources().getOracleClient().getStamp();
    if (!tx.commitPrimaryColumn(data, commit)) {
      throw new IllegalStateException("the primary cell was not committed");
    }
    return Long.toString(tx.getStartTimestamp());
  }

  /** timestamps COUNT FILE: takes timestamps one by one, and writes them. */
  private String timestamps(String[] words) throws Exception {
    OracleClient client = environment().getSharedResources().getOracleClient();
    try (PrintWriter out =
        new PrintWriter(Files.newBufferedWriter(Paths.get(words[2]), StandardCharsets.US_ASCII))) {
      for (int i = 0; i < Integer.parseInt(words[1]); i++) {
        out.println(client.getStamp().getTxTimestamp());
      }
    }
    return "";
  }

  /** dump TIMESTAMP FILE: all cells of a snapshot, in hexadecimal digits. */
  private String dump(String[] words) throws Exception {
    int cells = 0;
    // A transaction with a given timestamp cannot be closed.
    TransactionImpl tx = new TransactionImpl(environment(), Long.parseLong(words[1]));
    try (PrintWriter out =
        new PrintWriter(Files.newBufferedWriter(Paths.get(words[2]), StandardCharsets.US_ASCII))) {
      CellScanner scanner = tx.scanner().build();
      for (RowColumnValue cell : scanner) {
        Column column = cell.getColumn();
        out.println(String.join(" ", hex(cell.getRow()), hex(column.getFamily()),
            hex(column.getQualifier()), hex(column.getVisibility()), hex(cell.getValue())));
        cells++;
      }
    }
    return Integer.toString(cells);
  }

  private static String hex(Bytes bytes) {
    StringBuilder text = new StringBuilder("x");
    for (int i = 0; i < bytes.length(); i++) {
      text.append(String.format("%02x", bytes.byteAt(i) & 0xff));
    }
    return text.toString();
  }

  /** combine FROM TO KEYS: adds 1 to the key of each number. */
  private String combine(String[] words) {
    int keys = Integer.parseInt(words[3]);
    for (int i = Integer.parseInt(words[1]); i < Integer.parseInt(words[2]); i++) {
      Map<String, Long> update = new HashMap<>();
      update.put("key" + (i % keys), 1L);
      try (Transaction tx = client().newTransaction()) {
        Observers.combineQueue(client().getAppConfiguration()).addAll(tx, update);
        tx.commit();
      }
    }
    return "";
  }

  /** export FROM TO KEYS: adds each number as the value of its key. */
  private String export(String[] words) {
    int keys = Integer.parseInt(words[3]);
    for (int i = Integer.parseInt(words[1]); i < Integer.parseInt(words[2]); i++) {
      try (Transaction tx = client().newTransaction()) {
        Observers.exportQueue(client().getAppConfiguration()).add(tx, "key" + (i % keys), "v" + i);
        tx.commit();
      }
    }
    return "";
  }
}
