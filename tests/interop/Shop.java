import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map.Entry;

import org.apache.accumulo.core.client.ConditionalWriter;
import org.apache.accumulo.core.client.ConditionalWriter.Status;
import org.apache.accumulo.core.client.ConditionalWriterConfig;
import org.apache.accumulo.core.client.Connector;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.ZooKeeperInstance;
import org.apache.accumulo.core.client.security.tokens.PasswordToken;
import org.apache.accumulo.core.data.Condition;
import org.apache.accumulo.core.data.ConditionalMutation;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.security.Authorizations;
import org.apache.fluo.api.client.TransactionBase;
import org.apache.fluo.api.config.FluoConfiguration;
import org.apache.fluo.api.config.SimpleConfiguration;
import org.apache.fluo.api.data.Bytes;
import org.apache.fluo.api.data.Column;
import org.apache.fluo.api.observer.Observer.NotificationType;
import org.apache.fluo.api.observer.ObserverProvider.Registry;
import org.apache.fluo.recipes.core.combine.ChangeObserver.Change;
import org.apache.fluo.recipes.core.combine.CombineQueue;
import org.apache.fluo.recipes.core.combine.SummingCombiner;
import org.apache.fluo.recipes.core.export.ExportQueue;
import org.apache.fluo.recipes.core.export.SequencedExport;
import org.apache.fluo.recipes.core.serialization.SimpleSerializer;
import org.apache.hadoop.io.Text;

/** The observers, the queues and the sink of the shop, whose orders a test counts. */
final class Shop {
  private static final Column PLACED = new Column("order", "placed");
  private static final Column TALLIED = new Column("order", "tallied");
  private static final Column SOLD_ORDER = new Column("order", "sold");
  private static final Column COUNT = new Column("tally", "count");
  private static final int TALLIES = 4;

  /** The family of the cells that hold the sequence of the last export of a key. */
  private static final byte[] SEQUENCES = "fluoRecipes".getBytes(UTF_8);
  private static final byte[] SOLD = "sold".getBytes(UTF_8);
  private static final byte[] SUMS = "sums".getBytes(UTF_8);

  private final Connector connector;
  private final ConditionalWriter writer;
  private final SimpleSerializer serializer;

  private Shop(SimpleConfiguration settings, FluoConfiguration site) throws Exception {
    serializer = SimpleSerializer.getInstance(settings);
    connector = new ZooKeeperInstance(site.getAccumuloInstance(), site.getAccumuloZookeepers())
        .getConnector(site.getAccumuloUser(), new PasswordToken(site.getAccumuloPassword()));
    writer = connector.createConditionalWriter("sink", new ConditionalWriterConfig());
  }

  static void register(Registry registry, SimpleConfiguration settings, FluoConfiguration site) {
    Shop shop;
    try {
      shop = new Shop(settings, site);
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
    CombineQueue<String, Long> sold = CombineQueue.getInstance("sold", settings);
    ExportQueue<String, String> out = ExportQueue.getInstance("out", settings);
    registry.forColumn(PLACED, NotificationType.STRONG).withId("tally").useObserver(Shop::tally);
    registry.forColumn(TALLIED, NotificationType.STRONG).withId("sell")
        .useObserver((tx, row, column) -> {
          // It may also run for a tally that was rolled back.
          if (tx.get(row, column) == null || tx.get(row, SOLD_ORDER) != null) {
            return;
          }
          tx.set(row, SOLD_ORDER, Bytes.of("java"));
          String digit = row.toString().substring(row.length() - 1);
          sold.addAll(tx, Collections.singletonMap(digit, 1L));
        });
    sold.registerObserver(registry, new SummingCombiner<>(), (tx, changes) -> {
      for (Change<String, Long> change : changes) {
        String sums = change.getOldValue().orElse(0L) + " " + change.getNewValue().orElse(0L);
        out.add(tx, change.getKey(), sums);
      }
    });
    out.registerObserver(registry, shop::export);
  }

  private static void tally(TransactionBase tx, Bytes row, Column column) {
    String number = tx.gets(row.toString(), column);
    if (number == null) {
      return;
    }
    String tally = "tally/" + Long.parseLong(number) % TALLIES;
    long before = Long.parseLong(tx.gets(tally, COUNT, "0"));
    tx.set(tally, COUNT, Long.toString(before + 1));
    tx.delete(row, column);
    tx.set(row, TALLIED, Bytes.of("java"));
  }

  private void export(Iterator<SequencedExport<String, String>> exports) {
    try {
      while (exports.hasNext()) {
        export(exports.next());
      }
    } catch (Exception error) {
      // Fluo tries again, and its own logs are off here.
      error.printStackTrace();
      throw new IllegalStateException(error);
    }
  }

  /** Writes an export if its row has no later one of the key. */
  private void export(SequencedExport<String, String> export) throws Exception {
    ByteArrayOutputStream qualifier = new ByteArrayOutputStream();
    qualifier.write("seq:out:".getBytes(UTF_8));
    qualifier.write(serializer.serialize(export.getKey()));
    byte[] row = export.getKey().getBytes(UTF_8);
    long sequence = export.getSequence();
    Status status;
    do {
      Condition condition = new Condition(SEQUENCES, qualifier.toByteArray());
      Value last = last(row, qualifier.toByteArray());
      if (last != null) {
        if (Long.parseLong(last.toString()) >= sequence) {
          return;
        }
        condition.setValue(last.get());
      }
      ConditionalMutation mutation = new ConditionalMutation(row, condition);
      mutation.put(SOLD, SUMS, sequence, (export.getValue() + " java").getBytes(UTF_8));
      mutation.put(SEQUENCES, qualifier.toByteArray(), sequence,
          Long.toString(sequence).getBytes(UTF_8));
      // After an unknown outcome, the next read shows whether it was written.
      status = writer.write(mutation).getStatus();
    } while (status != Status.ACCEPTED);
  }

  private Value last(byte[] row, byte[] qualifier) throws Exception {
    try (Scanner scanner = connector.createScanner("sink", Authorizations.EMPTY)) {
      scanner.setRange(Range.exact(new Text(row)));
      scanner.fetchColumn(new Text(SEQUENCES), new Text(qualifier));
      for (Entry<Key, Value> cell : scanner) {
        return cell.getValue();
      }
      return null;
    }
  }
}
